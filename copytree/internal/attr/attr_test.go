package attr

import (
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestDirMode checks that the owner may do everything while a directory is filled, and nobody else
// may write. In the end it has the source's permissions under the umask.
func TestDirMode(t *testing.T) {
	const umask = 0o022
	for _, c := range []struct {
		preserve           option.Preserve
		source, made, want uint32
	}{
		{0, 0o755, 0o755, 0o755},
		{0, 0o777, 0o755, 0o755},
		{0, 0o500, 0o700, 0o500},
		{0, 0o1777, 0o1755, 0o1755},
		{option.PreserveOwner, 0o755, 0o700, 0o755},
		{option.NoMode, 0o500, 0o755, 0o755},
	} {
		k := New(at.New(), c.preserve, 0, umask)
		s := &at.Stat{Mode: uint32(at.Directory)<<12 | c.source}
		made := k.DirMode(s)
		if made != c.made {
			t.Errorf("DirMode of %04o with %b = %04o; want %04o", c.source, c.preserve, made, c.made)
		}
		if got := k.FinalDirMode(s, made&^umask, 0); got != c.want {
			t.Errorf("FinalDirMode of %04o with %b = %04o; want %04o", c.source, c.preserve, got, c.want)
		}
	}
}

func TestOptionOf(t *testing.T) {
	for name, want := range map[string]option.Preserve{
		"user.comment":          option.PreserveXattr,
		"trusted.overlay.x":     option.PreserveXattr,
		ACLAccess:               option.PreserveMode,
		aclDefault:              option.PreserveMode,
		selinux:                 option.PreserveContext,
		"security.evm":          0,
		"trusted.SGI_ACL_FILE":  0,
		"system.nfs4_acl":       0,
		"security.capability":   option.PreserveXattr,
		"system.posix_acl_none": option.PreserveXattr,
	} {
		if got := optionOf(name); got != want {
			t.Errorf("optionOf(%q) = %b; want %b", name, got, want)
		}
	}
}
