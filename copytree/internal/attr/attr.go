// Package attr copies the metadata of files and directories: owner, times, permissions, extended
// attributes and ACLs. It also chooses the permissions of a copy before it has its metadata
// (mode.go).
//
//	c := attr.New(kernel, preserve, require, umask)
//	fd, err := kernel.Create(dir, name, c.FileMode(&stat), at.Write)
//	// … the content is written …
//	err = c.Set(&attr.File{Src: src, Dst: dst, Stat: &stat})
//
// If the system or the file system cannot set an attribute, or does not allow it, the attribute is
// left out silently, unless it is required.
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
	preserve option.Preserve // the attributes to copy
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
	Existed  bool     // the copy existed before
	MayACL   bool     // the copy may have an ACL that the source lacks

	// Mode is the copy's final mode without PreserveMode. SetMode says that the copy does not have
	// it yet. MadeMode is the mode with which the copy was made.
	Mode     uint32
	SetMode  bool
	MadeMode uint32

	unknownACL bool   // the ACL is wrong or unknown: permissions stay as made
	lostACL    bool   // the copy cannot have the source's ACL
	groupPerm  uint32 // the group's permissions in the source's ACL
}

// Set gives a copy the metadata of its source, in GNU cp's order. The owner comes first because
// chown(2) removes suid, sgid and capabilities. If the owner or the times are refused, the file
// keeps the permissions with which it was made: they suit another user's file. The error joins all
// refusals.
//
// A copy that has its source's time and mode counts as complete (Options.Resume). So a copy with
// extended attributes gets its times after them.
func (c *Setter) Set(f *File) error {
	names, errNames := c.xattrs(f)
	if len(names) == 0 {
		if err := c.CopyTimes(f.Dst, f.Stat); err != nil {
			return err
		}
	}
	mode := f.Stat.Mode & at.ModeBits
	if c.preserve&option.PreserveOwner != 0 {
		given, err := c.chown(f)
		if err != nil {
			if len(names) > 0 && c.require&option.PreserveOwner != 0 {
				// Resume sees the wrong owner.
				err = errors.Join(err, c.CopyTimes(f.Dst, f.Stat))
			}
			return err
		}
		if !given {
			mode &^= at.ModeSUID | at.ModeSGID
		}
	}
	refused := c.copyXattrs(f, names, errNames)
	if len(names) > 0 {
		if err := c.CopyTimes(f.Dst, f.Stat); err != nil {
			return errors.Join(refused, err)
		}
	}
	if f.unknownACL {
		return refused
	}
	if f.lostACL {
		mode = mode&^groupPermissions | f.groupPerm
	}
	return errors.Join(refused, c.chmod(f, mode))
}

// CopyTimes gives the source's times to a copy, or to a symbolic link that replaces it.
func (c *Setter) CopyTimes(dst at.File, source *at.Stat) error {
	if c.preserve&option.PreserveTimes == 0 {
		return nil
	}
	return c.tolerate(option.PreserveTimes, "utimensat", c.kernel.SetTimes(dst, source.Atime, source.Mtime))
}

// chown gives the copy the source's owner and group, or at least the group. It reports whether the
// copy has both.
func (c *Setter) chown(f *File) (bool, error) {
	err := c.kernel.Chown(f.Dst, int(f.Stat.UID), int(f.Stat.GID))
	if err == nil {
		return true, nil
	}
	// EINVAL: the owner is not in this namespace.
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
		_ = c.kernel.Chown(f.Dst, -1, int(f.Stat.GID)) // as GNU cp does; it may fail
	}
	err = c.tolerate(option.PreserveOwner, "chown", err)
	if err != nil && f.Existed && c.preserve&option.PreserveMode != 0 {
		c.restrict(f)
	}
	return false, err
}

// restrict removes all but the owner's permissions from a file that existed before, as GNU cp does.
// The other permissions were for the file's old content.
func (c *Setter) restrict(f *File) {
	var old at.Stat
	if c.kernel.Fstat(f.Dst.FD, &c.raw, &old) == nil {
		_ = c.kernel.Chmod(f.Dst, old.Mode&f.Stat.Mode&OwnerPermissions)
	}
}

// chmod gives the copy the source's permissions or, without PreserveMode, f.Mode. Symbolic links
// have no permissions.
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
			mode &^= at.ModeSUID // chown(2) has removed it
		}
	}
	return fault.Dest("chmod", c.kernel.Chmod(f.Dst, mode))
}

// tolerate returns the fault of a call on the copy. It returns nil if the call was refused and its
// attribute is not required.
func (c *Setter) tolerate(what option.Preserve, op string, err error) error {
	if c.require&what == 0 && isRefusal(err) {
		return nil
	}
	return fault.Dest(op, err)
}

// isRefusal reports whether err means that the file system cannot do it, or that the user may not.
func isRefusal(err error) bool {
	e, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains(refusals, e) || errors.Is(err, errors.ErrUnsupported)
}

var refusals = []syscall.Errno{syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSYS}
