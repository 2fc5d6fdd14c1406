package copytree

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

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

// copyXattrs copies extended attributes, ACLs among them. Of those that are refused
// it returns the first, and of ACLs the first, too.
func (w *worker) copyXattrs(a *attributed) error {
	if w.o.Preserve&inXattrs == 0 {
		return nil
	}
	keepsMode := w.o.Preserve&PreserveMode != 0
	names, err := w.kernel.Xattrs(a.src)
	if err != nil {
		a.closed = keepsMode
		return &fault{"listxattr", source, err}
	}
	var refused, refusedACL error
	for _, name := range names {
		by := kept(name)
		if w.o.Preserve&by == 0 {
			continue
		}
		if by == PreserveMode {
			refusedACL = cmp.Or(refusedACL, w.copyACL(a, name))
		} else {
			refused = cmp.Or(refused, w.copyXattr(a, name, by))
		}
	}
	if keepsMode && a.acl && a.stat.Type() != at.Symlink {
		err = w.dropACLs(a, names)
		a.closed = err != nil
	}
	return errors.Join(refused, refusedACL, err)
}

func (w *worker) copyXattr(a *attributed, name string, by Preserve) error {
	value, err := w.kernel.Xattr(a.src, name)
	if errors.Is(err, at.ErrNoXattr) { // it was removed in between
		return nil
	}
	if err != nil {
		return w.triedXattr(by, "getxattr", source, err)
	}
	err = w.kernel.SetXattr(a.dst, name, value)
	if errors.Is(err, syscall.EACCES) && w.openUp(a) {
		err = w.kernel.SetXattr(a.dst, name, value)
	}
	return w.triedXattr(by, "setxattr", destination, err)
}

// openUp lets the owner write to a file that was made without that permission, until it
// gets its mode: xattr(7) demands it for attributes of users. It reports whether the
// file is another one now.
func (w *worker) openUp(a *attributed) bool {
	const ownerWrites = 0o200
	if a.there || a.stat.Type() != at.Regular || a.made&ownerWrites != 0 {
		return false
	}
	a.made |= ownerWrites
	a.chmod = true
	return w.kernel.Chmod(a.dst, a.made) == nil
}

// triedXattr is tried. That there is no room for an attribute is a refusal, too.
func (w *worker) triedXattr(by Preserve, op string, s side, err error) error {
	switch {
	case err == nil:
		return nil
	case w.o.Require&by != 0:
	case refusal(err), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.E2BIG), errors.Is(err, syscall.ERANGE): // of the inode's room
		return nil
	}
	return &fault{op, s, err}
}

// copyACL copies an ACL. Where the copy cannot have it, that is always an error, and
// the group gets what the ACL gives to it: the mode's permissions of the group are the
// ACL's mask, which may be more.
func (w *worker) copyACL(a *attributed, name string) error {
	value, err := w.kernel.Xattr(a.src, name)
	switch {
	case errors.Is(err, at.ErrNoXattr): // it was removed in between
		return nil
	case err != nil:
		a.closed = true
		return &fault{"getxattr", source, err}
	}
	err = w.kernel.SetXattr(a.dst, name, value)
	if err != nil && name == aclAccess {
		a.noACL, a.group = true, groupOf(value)
	}
	return wrong("setxattr "+name, destination, err)
}

// groupOf returns the permissions of the group in an ACL, as bits of a mode. The ACL is
// an array of entries after a version (posix_acl_xattr.h in Linux).
func groupOf(acl []byte) uint32 {
	const version, entry, groupObj, mask = 4, 8, 0x04, 0x10
	group, most := uint32(0), uint32(0o7)
	for acl = acl[min(version, len(acl)):]; len(acl) >= entry; acl = acl[entry:] {
		perm := uint32(binary.LittleEndian.Uint16(acl[2:]))
		switch binary.LittleEndian.Uint16(acl) {
		case groupObj:
			group = perm
		case mask:
			most = perm
		}
	}
	return group & most << 3 & groupOnly
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

// inherits reports whether a new file in a directory gets an ACL from it.
func (w *worker) inherits(fd int) bool {
	value, err := w.kernel.Xattr(at.File{FD: fd}, aclDefault)
	return err == nil && len(value) > 0
}
