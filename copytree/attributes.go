package copytree

import (
	"errors"
	"slices"
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
	made     uint32   // the mode that it was made with, if it was not there
	there    bool     // the copy was there before
	closed   bool     // its ACL is wrong or unknown: its permissions stay as they were made
	noACL    bool     // it cannot have the ACL of the source
	group    uint32   // the permissions that this ACL gives to the group
}

// attributes gives a copy what Options.Preserve says, and the mode that it was
// not yet to have while it was written.
func (w *worker) attributes(it *item) error {
	a := attributed{src: it.source(), dst: it.file(), stat: &it.stat, acl: it.in.acl || !it.fresh, there: !it.fresh}
	if it.fresh && it.kind != at.Symlink {
		a.mode = w.wantedFile(it) &^ w.umask
		a.made = w.fileMode(it) &^ w.umask
		a.chmod = a.made != a.mode
	}
	return w.set(&a)
}

// set sets attributes, in GNU cp's order: the owner before what chown(2) takes away,
// which is suid, sgid and capabilities. A file whose owner or times are refused keeps
// the permissions that it was made with, which are those of a file of somebody else.
// The error joins all that was refused.
func (w *worker) set(a *attributed) error {
	p := w.o.Preserve
	if p&PreserveTimes != 0 {
		err := w.kernel.SetTimes(a.dst, a.stat.Atime, a.stat.Mtime)
		if err := w.tried(PreserveTimes, "utimensat", err); err != nil {
			return err
		}
	}
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
	refused := w.copyXattrs(a)
	if a.closed {
		return refused
	}
	if a.noACL {
		mode = mode&^groupOnly | a.group
	}
	return errors.Join(refused, w.chmod(a, mode))
}

// groupOnly are the permissions of the group. In a file that has an ACL they are its
// mask: the most that the ACL gives to anybody but the owner and others.
const groupOnly = 0o070

// chown gives the copy the source's owner, or at least its group. It reports
// whether it could.
func (w *worker) chown(a *attributed) (bool, error) {
	err := w.kernel.Chown(a.dst, int(a.stat.UID), int(a.stat.GID))
	if err == nil {
		return true, nil
	}
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) { // EINVAL: not in this user namespace
		_ = w.kernel.Chown(a.dst, -1, int(a.stat.GID)) // as cp does; a mere try
	}
	err = w.tried(PreserveOwner, "chown", err)
	if err != nil && a.there && w.o.Preserve&PreserveMode != 0 {
		w.withdraw(a)
	}
	return false, err
}

// withdraw takes the permissions of all but the owner from a file that was there, as GNU
// cp does: it has another file's content now, which those permissions are not for.
func (w *worker) withdraw(a *attributed) {
	var old at.Stat
	if w.kernel.Fstat(a.dst.FD, &w.raw, &old) == nil {
		_ = w.kernel.Chmod(a.dst, old.Mode&a.stat.Mode&ownerAll)
	}
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
