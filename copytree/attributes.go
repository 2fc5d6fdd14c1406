package copytree

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// attributed is a file whose copy gets its attributes.
type attributed struct {
	src, dst at.File
	stat     *at.Stat // of the source
	mode     uint32   // what the copy is to have without PreserveMode
	chmod    bool     // it has not
	acl      bool     // it may have an ACL that the source has not
}

// attributes gives a copy what Options.Preserve says, and the mode that it was
// not yet to have while it was written.
func (w *worker) attributes(it *item) error {
	a := attributed{src: it.source(), dst: it.file(), stat: &it.stat, acl: it.in.acl || !it.fresh}
	if it.fresh && it.kind != at.Symlink {
		a.mode = w.wantedFile(it) &^ w.umask
		a.chmod = w.fileMode(it)&^w.umask != a.mode
	}
	return w.set(&a)
}

// set sets attributes: the owner first, as that takes suid and capabilities
// away, and the times last.
func (w *worker) set(a *attributed) error {
	p := w.o.Preserve
	mode := a.stat.Mode & at.ModeBits
	if p&PreserveOwner != 0 {
		given, err := w.chown(a)
		if err != nil {
			return err
		}
		if !given {
			mode &^= at.ModeSUID | at.ModeSGID
		}
	}
	if err := w.copyXattrs(a); err != nil {
		return err
	}
	if err := w.chmod(a, mode); err != nil {
		return err
	}
	if p&PreserveTimes != 0 {
		return w.tried(PreserveTimes, "utimensat", w.kernel.SetTimes(a.dst, a.stat.Atime, a.stat.Mtime))
	}
	return nil
}

// chown gives the copy the source's owner, or at least its group. It reports
// whether it could.
func (w *worker) chown(a *attributed) (bool, error) {
	err := w.kernel.Chown(a.dst, int(a.stat.UID), int(a.stat.GID))
	if err == nil {
		return true, nil
	}
	if errors.Is(err, syscall.EPERM) {
		_ = w.kernel.Chown(a.dst, -1, int(a.stat.GID)) // as cp does; a mere try
	}
	return false, w.tried(PreserveOwner, "chown", err)
}

// chmod gives the copy the source's permissions and ACL, or those that it was
// to have when it is finished. Symbolic links have none.
func (w *worker) chmod(a *attributed, mode uint32) error {
	switch {
	case a.stat.Type() == at.Symlink:
		return nil
	case w.o.Preserve&PreserveMode == 0:
		if !a.chmod {
			return nil
		}
		if w.o.Preserve&PreserveOwner != 0 {
			a.mode &^= at.ModeSUID // which chown(2) has taken away
		}
		return wrong("chmod", destination, w.kernel.Chmod(a.dst, a.mode))
	}
	return wrong("chmod", destination, w.kernel.Chmod(a.dst, mode))
}

// tried makes nothing of an error that says that what was to be preserved
// cannot be, unless that was required.
func (w *worker) tried(what Preserve, op string, err error) error {
	if err == nil || w.o.Require&what == 0 && refusal(err) {
		return nil
	}
	return &fault{op, destination, err}
}

// refusal tells whether a system or file system has said that it cannot, or
// that the user may not.
func refusal(err error) bool {
	e, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains(refusals, e) || errors.Is(err, errors.ErrUnsupported)
}

var refusals = []syscall.Errno{syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSYS}

// Extended attributes that are something else.
const (
	aclAccess  = "system.posix_acl_access"
	aclDefault = "system.posix_acl_default"
	selinux    = "security.selinux"
)

// kept tells by which of the options an extended attribute is preserved; 0 is
// by none. What names the machine or the file itself is not copied (as
// attr_copy_file(3) does by /etc/xattr.conf).
func kept(name string) Preserve {
	switch {
	case name == aclAccess || name == aclDefault:
		return PreserveMode
	case name == selinux:
		return PreserveContext
	case slices.ContainsFunc(notKept, func(p string) bool { return strings.HasPrefix(name, p) }):
		return 0
	}
	return PreserveXattr
}

var notKept = []string{"security.evm", "afs.", "xfsroot.", "trusted.SGI_", "system.nfs4"}

const inXattrs = PreserveMode | PreserveXattr | PreserveContext

// copyXattrs copies extended attributes, ACLs among them.
func (w *worker) copyXattrs(a *attributed) error {
	if w.o.Preserve&inXattrs == 0 {
		return nil
	}
	names, err := w.kernel.Xattrs(a.src)
	if err != nil {
		return &fault{"listxattr", source, err}
	}
	for _, name := range names {
		by := kept(name)
		if w.o.Preserve&by == 0 {
			continue
		}
		if err := w.copyXattr(a, name, by); err != nil {
			return err
		}
	}
	if w.o.Preserve&PreserveMode != 0 && a.acl && a.stat.Type() != at.Symlink {
		return w.dropACLs(a, names)
	}
	return nil
}

func (w *worker) copyXattr(a *attributed, name string, by Preserve) error {
	value, err := w.kernel.Xattr(a.src, name)
	if errors.Is(err, at.ErrNoXattr) { // it was removed in between
		return nil
	}
	if err != nil {
		return w.triedXattr(by, "getxattr", source, err)
	}
	return w.triedXattr(by, "setxattr", destination, w.kernel.SetXattr(a.dst, name, value))
}

// triedXattr is tried, but an ACL that the copy cannot have is always an error:
// without it others might read the copy.
func (w *worker) triedXattr(by Preserve, op string, s side, err error) error {
	switch {
	case err == nil:
		return nil
	case w.o.Require&by != 0, by == PreserveMode:
	case refusal(err), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.E2BIG), errors.Is(err, syscall.ERANGE): // of the inode's room
		return nil
	}
	return &fault{op, s, err}
}

// dropACLs removes what the copy has inherited or had, and the source has not.
func (w *worker) dropACLs(a *attributed, names []string) error {
	for _, acl := range []string{aclAccess, aclDefault} {
		if slices.Contains(names, acl) || acl == aclDefault && a.stat.Type() != at.Directory {
			continue
		}
		err := w.kernel.RemoveXattr(a.dst, acl)
		if err != nil && !errors.Is(err, at.ErrNoXattr) && !refusal(err) {
			return &fault{"removexattr", destination, err}
		}
	}
	return nil
}

// inherits tells whether what is made in a directory gets an ACL from it.
func (w *worker) inherits(fd int) bool {
	value, err := w.kernel.Xattr(at.File{FD: fd}, aclDefault)
	return err == nil && len(value) > 0
}
