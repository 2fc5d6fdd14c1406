package attr

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// Extended attributes that belong to an option other than PreserveXattr.
const (
	ACLAccess  = "system.posix_acl_access"
	aclDefault = "system.posix_acl_default"
	selinux    = "security.selinux"
)

// optionOf returns the option that preserves an extended attribute, or 0. Attributes that name the
// machine or the file are not copied, as in attr_copy_file(3) with /etc/xattr.conf.
func optionOf(name string) option.Preserve {
	switch {
	case name == ACLAccess || name == aclDefault:
		return option.PreserveMode
	case name == selinux:
		return option.PreserveContext
	case slices.ContainsFunc(notCopied, func(p string) bool { return strings.HasPrefix(name, p) }):
		return 0
	}
	return option.PreserveXattr
}

var notCopied = []string{"security.evm", "afs.", "xfsroot.", "trusted.SGI_", "system.nfs4"}

// storedAsXattrs are the options whose attributes are stored as extended attributes.
const storedAsXattrs = option.PreserveMode | option.PreserveXattr | option.PreserveContext

// xattrs returns the names of the source's extended attributes that are copied, ACLs included.
func (c *Setter) xattrs(f *File) ([]string, error) {
	if c.preserve&storedAsXattrs == 0 {
		return nil, nil
	}
	names, err := c.kernel.Xattrs(f.Src)
	return slices.DeleteFunc(names, func(name string) bool { return c.preserve&optionOf(name) == 0 }), err
}

// copyXattrs copies the extended attributes with these names, the result of xattrs. It returns the
// first refusal of an ACL, and the first refusal of another attribute.
func (c *Setter) copyXattrs(f *File, names []string, err error) error {
	if c.preserve&storedAsXattrs == 0 {
		return nil
	}
	mode := c.preserve&option.PreserveMode != 0
	if !at.HasXattrs && c.require&(option.PreserveXattr|option.PreserveContext) != 0 {
		err = errors.ErrUnsupported
	}
	if err != nil {
		f.unknownACL = mode
		return fault.Source("listxattr", err)
	}
	var refused, refusedACL error
	for _, name := range names {
		if by := optionOf(name); by == option.PreserveMode {
			refusedACL = cmp.Or(refusedACL, c.copyACL(f, name))
		} else {
			refused = cmp.Or(refused, c.copyXattr(f, name, by))
		}
	}
	if mode && f.MayACL && f.Stat.Type() != at.Symlink {
		err = c.removeACLs(f, names)
		f.unknownACL = err != nil
	}
	return errors.Join(refused, refusedACL, err)
}

func (c *Setter) copyXattr(f *File, name string, by option.Preserve) error {
	value, err := c.kernel.Xattr(f.Src, name)
	if errors.Is(err, at.ErrNoXattr) { // another process removed it
		return nil
	}
	if err != nil {
		return c.tolerateXattr(by, "getxattr", false, err)
	}
	err = c.kernel.SetXattr(f.Dst, name, value)
	if errors.Is(err, syscall.EACCES) && madeReadOnly(f) {
		if err := c.makeWritable(f); err != nil {
			return c.tolerateXattr(by, "chmod", true, err)
		}
		err = c.kernel.SetXattr(f.Dst, name, value)
	}
	return c.tolerateXattr(by, "setxattr", true, err)
}

const ownerWrites = 0o200

// madeReadOnly reports whether a file was made without its owner's write permission.
func madeReadOnly(f *File) bool {
	return !f.Existed && f.Stat.Type() == at.Regular && f.MadeMode&ownerWrites == 0
}

// makeWritable gives a file its owner's write permission until it gets its mode. xattr(7) demands
// it for attributes of users.
func (c *Setter) makeWritable(f *File) error {
	f.MadeMode |= ownerWrites
	f.SetMode = true
	return c.kernel.Chmod(f.Dst, f.MadeMode)
}

// tolerateXattr is tolerate for extended attributes. For them a full inode is also a refusal.
func (c *Setter) tolerateXattr(by option.Preserve, op string, dest bool, err error) error {
	if c.require&by == 0 &&
		(isRefusal(err) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.E2BIG) || errors.Is(err, syscall.ERANGE)) {
		return nil
	}
	return fault.New(op, dest, err)
}

// copyACL copies an ACL. A refusal is always an error: the group bits of the source's mode are the
// ACL's mask, which may allow more than the ACL gives to the group. Without the ACL, the copy's
// group only gets the permissions of the ACL.
func (c *Setter) copyACL(f *File, name string) error {
	value, err := c.kernel.Xattr(f.Src, name)
	switch {
	case errors.Is(err, at.ErrNoXattr): // another process removed it
		return nil
	case err != nil:
		f.unknownACL = true
		return fault.Source("getxattr", err)
	}
	err = c.kernel.SetXattr(f.Dst, name, value)
	if err != nil && name == ACLAccess {
		f.lostACL, f.groupPerm = true, groupOf(value)
	}
	return fault.Dest("setxattr "+name, err)
}

// groupOf returns the group's permissions in an ACL, as bits of a mode. The ACL is a version and an
// array of entries (posix_acl_xattr.h in Linux).
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
	return group & most << 3 & groupPermissions
}

// removeACLs removes ACLs of the copy, inherited or old, that the source lacks. names has the ACLs
// of the source.
func (c *Setter) removeACLs(f *File, names []string) error {
	for _, acl := range []string{ACLAccess, aclDefault} {
		if slices.Contains(names, acl) || acl == aclDefault && f.Stat.Type() != at.Directory {
			continue
		}
		err := c.kernel.RemoveXattr(f.Dst, acl)
		if err != nil && !errors.Is(err, at.ErrNoXattr) && !isRefusal(err) {
			return fault.Dest("removexattr", err)
		}
	}
	return nil
}

// GivesACL reports whether new files in an open directory may get an ACL from it. It is true if the
// directory's ACL cannot be read.
func GivesACL(k *at.Kernel, fd int) bool {
	value, err := k.Xattr(at.File{FD: fd}, aclDefault)
	if errors.Is(err, at.ErrNoXattr) || isRefusal(err) {
		return false
	}
	return err != nil || len(value) > 0
}
