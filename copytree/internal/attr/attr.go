// Package attr copies the metadata of files and directories: owner, times,
// permissions, extended attributes and ACLs. It also says with which permissions a
// copy is made before it has its metadata (mode.go).
//
//	c := attr.New(kernel, preserve, require, umask)
//	fd, err := kernel.Create(dir, name, c.FileMode(&stat), at.Write)
//	// … the content is written …
//	err = c.Set(&attr.File{Src: src, Dst: dst, Stat: &stat})
//
// What a file system or the system cannot do or does not allow is left out
// silently, unless it is required.
//
// # Concurrency
//
// Each worker has its own Setter.
package attr

import (
	"errors"
	"slices"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// Setter copies metadata.
type Setter struct {
	kernel   *at.Kernel
	preserve option.Preserve // what is copied
	require  option.Preserve // the part of preserve that must not be left out
	umask    uint32
	raw      at.Raw
}

// New returns a Setter.
func New(k *at.Kernel, preserve, require option.Preserve, umask uint32) Setter {
	return Setter{kernel: k, preserve: preserve, require: require, umask: umask}
}

// File is a file or directory whose copy gets its metadata.
type File struct {
	Src, Dst at.File
	Stat     *at.Stat // of the source
	Existed  bool     // the copy was not made by this copy
	MayACL   bool     // the copy may have an ACL that the source does not have

	// Mode is what the copy has in the end without PreserveMode, and SetMode says
	// that it does not have that yet. MadeMode is what it was made with.
	Mode     uint32
	SetMode  bool
	MadeMode uint32

	unknownACL bool   // the copy's ACL is wrong or unknown: its permissions stay as they were made
	lostACL    bool   // the copy cannot have the source's ACL
	groupPerm  uint32 // the permissions that this ACL gives to the group
}

// Set gives a copy the metadata of its source, in GNU cp's order: the owner comes
// before what chown(2) removes, which is suid, sgid and capabilities. A file whose
// owner or times are refused keeps the permissions that it was made with, which
// suit a file of another user. The error joins all that was refused.
func (c *Setter) Set(f *File) error {
	if err := c.CopyTimes(f.Dst, f.Stat); err != nil {
		return err
	}
	mode := f.Stat.Mode & at.ModeBits
	if c.preserve&option.PreserveOwner != 0 {
		given, err := c.chown(f)
		if err != nil {
			return err
		}
		if !given {
			mode &^= at.ModeSUID | at.ModeSGID
		}
	}
	refused := c.copyXattrs(f)
	if f.unknownACL {
		return refused
	}
	if f.lostACL {
		mode = mode&^groupPermissions | f.groupPerm
	}
	return errors.Join(refused, c.chmod(f, mode))
}

// CopyTimes gives a copy, or a symbolic link that was made instead of one, the times of its source.
func (c *Setter) CopyTimes(dst at.File, source *at.Stat) error {
	if c.preserve&option.PreserveTimes == 0 {
		return nil
	}
	return c.tolerate(option.PreserveTimes, "utimensat", c.kernel.SetTimes(dst, source.Atime, source.Mtime))
}

// chown gives the copy the source's owner and group, or at least the group. It
// reports whether the copy has both.
func (c *Setter) chown(f *File) (bool, error) {
	err := c.kernel.Chown(f.Dst, int(f.Stat.UID), int(f.Stat.GID))
	if err == nil {
		return true, nil
	}
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) { // EINVAL: no owner of this namespace
		_ = c.kernel.Chown(f.Dst, -1, int(f.Stat.GID)) // as GNU cp does; it may fail, too
	}
	err = c.tolerate(option.PreserveOwner, "chown", err)
	if err != nil && f.Existed && c.preserve&option.PreserveMode != 0 {
		c.restrict(f)
	}
	return false, err
}

// restrict leaves a file that existed before only the permissions of its owner, as
// GNU cp does: it has another file's content now, which its other permissions are
// not for.
func (c *Setter) restrict(f *File) {
	var old at.Stat
	if c.kernel.Fstat(f.Dst.FD, &c.raw, &old) == nil {
		_ = c.kernel.Chmod(f.Dst, old.Mode&f.Stat.Mode&OwnerPermissions)
	}
}

// chmod gives the copy the source's permissions or, without PreserveMode, those of
// f.Mode. Symbolic links have none.
func (c *Setter) chmod(f *File, mode uint32) error {
	switch {
	case f.Stat.Type() == at.Symlink:
		return nil
	case c.preserve&option.PreserveMode == 0:
		if !f.SetMode {
			return nil
		}
		mode = f.Mode
		if c.preserve&option.PreserveOwner != 0 {
			mode &^= at.ModeSUID // which chown(2) has removed
		}
	}
	return fault.Dest("chmod", c.kernel.Chmod(f.Dst, mode))
}

// tolerate returns the fault of a call for the copy, or nil if the call was refused
// and what it sets is not required.
func (c *Setter) tolerate(what option.Preserve, op string, err error) error {
	if c.require&what == 0 && isRefusal(err) {
		return nil
	}
	return fault.Dest(op, err)
}

// isRefusal reports whether err says that the file system cannot do what was asked,
// or that the user is not allowed to.
func isRefusal(err error) bool {
	e, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains(refusals, e) || errors.Is(err, errors.ErrUnsupported)
}

var refusals = []syscall.Errno{syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSYS}
