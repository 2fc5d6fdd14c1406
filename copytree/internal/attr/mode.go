package attr

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// A copy that is being written has no permission that its source lacks. Until it has its owner, it
// has no permission for others. suid, sgid and other bits of the finished copy are set at the end.

const (
	groupPermissions  = 0o070 // with an ACL it is the mask, the most for all but owner and others
	othersPermissions = 0o077 // of the group and of others

	// OwnerPermissions is the permissions that a directory's owner needs to fill it.
	OwnerPermissions = 0o700
)

// FileMode returns the permissions with which the copy of a file is made, before the umask.
func (c *Setter) FileMode(t at.Type, s *at.Stat) uint32 {
	mode := c.FinalFileMode(t, s)
	if c.preserve&option.PreserveOwner != 0 {
		mode &^= othersPermissions
	}
	return mode
}

// FinalFileMode returns the copy's final permissions without PreserveMode, before the umask.
// Special files get all bits from mknod(2), as in GNU cp.
func (c *Setter) FinalFileMode(t at.Type, s *at.Stat) uint32 {
	fresh := uint32(0o666)
	if t == at.Socket {
		fresh = 0o777 // the mode that bind(2) uses
	}
	mode := c.permissions(s, fresh)
	if t != at.Regular && c.preserve&option.NoMode == 0 {
		mode |= s.Mode & at.ModeBits
	}
	return mode
}

// permissions returns the source's permissions, or a fresh file's with NoMode.
func (c *Setter) permissions(s *at.Stat, fresh uint32) uint32 {
	if c.preserve&(option.NoMode|option.PreserveMode) == option.NoMode {
		return fresh
	}
	return s.Mode & at.ModePerm
}

// DirMode returns the permissions with which the copy of a directory is made, before the umask.
// Until it is filled, only its owner may write to it.
func (c *Setter) DirMode(s *at.Stat) uint32 {
	mode := c.wantedDirMode(s) | OwnerPermissions
	if c.preserve&option.PreserveOwner != 0 {
		return mode &^ othersPermissions
	}
	return mode &^ 0o022
}

// wantedDirMode returns the final permissions of a directory's copy without PreserveMode, before
// the umask.
func (c *Setter) wantedDirMode(s *at.Stat) uint32 {
	return c.permissions(s, 0o777) | s.Mode&at.ModeSticky
}

// FinalDirMode returns the final permissions of a directory's copy without PreserveMode. They start
// from the permissions after mkdir(2), which the parent's ACL may have changed. It removes the
// added permissions, which were only for filling, and adds the bits that DirMode left out.
func (c *Setter) FinalDirMode(s *at.Stat, copyMode, added uint32) uint32 {
	wanted, made := c.wantedDirMode(s), c.DirMode(s)
	return copyMode&at.ModeBits&^(made&^wanted)&^added | wanted&^made&^c.umask
}
