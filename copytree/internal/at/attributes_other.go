//go:build !linux || (!amd64 && !arm64)

package at

import (
	"errors"
	"os"
	"time"
)

// File is a file whose attributes are set: an open descriptor, or a name in a
// directory.
type File struct {
	FD   int
	Name Name // nil if FD is the file
}

// Chown sets owner and group; -1 leaves one unchanged.
func (k *Kernel) Chown(f File, uid, gid int) error {
	o, err := k.begin("chown", f.FD)
	if err != nil {
		return err
	}
	if f.Name == nil {
		return bare(o.file.Chown(uid, gid))
	}
	return bare(o.root.Lchown(f.Name.String(), uid, gid))
}

// Chmod sets the permissions.
func (k *Kernel) Chmod(f File, mode uint32) error {
	o, err := k.begin("chmod", f.FD)
	if err != nil {
		return err
	}
	m := os.FileMode(mode & ModePerm)
	for bit, is := range map[uint32]os.FileMode{ModeSUID: os.ModeSetuid, ModeSGID: os.ModeSetgid, ModeSticky: os.ModeSticky} {
		if mode&bit != 0 {
			m |= is
		}
	}
	if f.Name == nil {
		return bare(o.file.Chmod(m))
	}
	return bare(o.root.Chmod(f.Name.String(), m))
}

// SetTimes sets the modification time. For symbolic links it does nothing: package os cannot.
func (k *Kernel) SetTimes(f File, _, mtime Time) error {
	o, err := k.begin("utimensat", f.FD)
	if err != nil {
		return err
	}
	at := time.Unix(mtime.Sec, mtime.Nsec)
	if f.Name == nil {
		return bare(os.Chtimes(o.path, time.Time{}, at))
	}
	var s Stat
	if err := s.ofName(o, f.Name, NoFollow); err != nil || s.Type() == Symlink {
		return err
	}
	return bare(o.root.Chtimes(f.Name.String(), time.Time{}, at))
}

// ErrNoXattr means that a file lacks an extended attribute.
var ErrNoXattr = errors.ErrUnsupported

// HasXattrs reports whether extended attributes are copied.
const HasXattrs = false

// Xattrs returns nothing: only Linux has extended attributes here.
func (k *Kernel) Xattrs(File) ([]string, error) { return nil, nil }

// Xattr fails.
func (k *Kernel) Xattr(File, string) ([]byte, error) { return nil, errors.ErrUnsupported }

// SetXattr fails.
func (k *Kernel) SetXattr(File, string, []byte) error { return errors.ErrUnsupported }

// RemoveXattr fails.
func (k *Kernel) RemoveXattr(File, string) error { return errors.ErrUnsupported }
