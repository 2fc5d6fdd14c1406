package treegen

import "encoding/binary"

// ACL is a POSIX access control list (acl(5)), in the kernel's order.
type ACL []ACE

// ACE is an entry of an ACL. Only ACLUser and ACLGroup use ID.
type ACE struct {
	Tag, Perm uint16
	ID        uint32
}

// Tags of entries, as in linux/posix_acl.h.
const (
	ACLUserObj  = 0x01
	ACLUser     = 0x02
	ACLGroupObj = 0x04
	ACLGroup    = 0x08
	ACLMask     = 0x10
	ACLOther    = 0x20
)

// Names of the extended attributes with ACLs.
const (
	aclAccess  = "system.posix_acl_access"
	aclDefault = "system.posix_acl_default"
)

// encode returns the attribute's value: version 2, and 8 bytes an entry (linux/posix_acl_xattr.h).
func (a ACL) encode() []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range a {
		id := uint32(0xffffffff) // ACL_UNDEFINED_ID
		if e.Tag == ACLUser || e.Tag == ACLGroup {
			id = e.ID
		}
		b = binary.LittleEndian.AppendUint16(b, e.Tag)
		b = binary.LittleEndian.AppendUint16(b, e.Perm)
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	return b
}
