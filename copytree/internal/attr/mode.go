package attr

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// While a copy is written it has no permission that its source does not have, and
// no permission for others as long as it does not have its owner. suid, sgid and
// what only the finished copy may have are set at the end.

const (
	groupPermissions  = 0o070 // with an ACL, its mask: the most for all but owner and others
	othersPermissions = 0o077 // of the group and others

	// OwnerPermissions is what the owner of a directory needs to fill it.
	OwnerPermissions = 0o700
)

// FileMode returns the permissions that the copy of a file is made with, before
// the umask.
func (c *Setter) FileMode(t at.Type, s *at.Stat) uint32 {
	mode := c.FinalFileMode(t, s)
	if c.preserve&option.PreserveOwner != 0 {
		mode &^= othersPermissions
	}
	return mode
}

// FinalFileMode returns the permissions, before the umask, that the copy has in
// the end without PreserveMode. Special files get all bits from mknod(2), as with
// GNU cp.
func (c *Setter) FinalFileMode(t at.Type, s *at.Stat) uint32 {
	fresh := uint32(0o666)
	if t == at.Socket {
		fresh = 0o777 // as bind(2) makes it
	}
	mode := c.permissions(s, fresh)
	if t != at.Regular && c.preserve&option.NoMode == 0 {
		mode |= s.Mode & at.ModeBits
	}
	return mode
}

// permissions returns those of the source, or with NoMode those of a fresh file.
func (c *Setter) permissions(s *at.Stat, fresh uint32) uint32 {
	if c.preserve&(option.NoMode|option.PreserveMode) == option.NoMode {
		return fresh
	}
	return s.Mode & at.ModePerm
}

// DirMode returns the permissions that the copy of a directory is made with, before
// the umask. Its owner may fill it; nobody else may put anything into it meanwhile.
func (c *Setter) DirMode(s *at.Stat) uint32 {
	mode := c.wantedDirMode(s) | OwnerPermissions
	if c.preserve&option.PreserveOwner != 0 {
		return mode &^ othersPermissions
	}
	return mode &^ 0o022
}

// wantedDirMode returns the permissions, before the umask, that the copy of a
// directory has in the end without PreserveMode.
func (c *Setter) wantedDirMode(s *at.Stat) uint32 {
	return c.permissions(s, 0o777) | s.Mode&at.ModeSticky
}

// FinalDirMode returns the permissions that the copy of a directory has in the end
// without PreserveMode. They are made from those that mkdir(2) gave it, which an
// ACL of its parent may have changed: without the added ones that it only needed to
// be filled, and with those that DirMode left out.
func (c *Setter) FinalDirMode(s *at.Stat, copyMode, added uint32) uint32 {
	wanted, made := c.wantedDirMode(s), c.DirMode(s)
	return copyMode&at.ModeBits&^(made&^wanted)&^added | wanted&^made&^c.umask
}
