package treegen

import (
	"strconv"
	"strings"
)

// attributes sets a node's attributes.
func (r *random) attributes(n *Node) {
	n.Mode = r.mode(n.Kind)
	if r.o.Root && r.IntN(3) == 0 {
		n.UID, n.GID = r.id(), r.id()
	}
	n.Mtime, n.Atime = r.time(), r.time()
	if n.Kind != Dir && n.Kind != File {
		return // only files and directories may have user attributes
	}
	if r.o.MaxXattr > 0 && r.IntN(5) == 0 {
		n.Xattrs = r.xattrs()
	}
	if r.o.ACLs && r.IntN(8) == 0 {
		n.ACL = r.acl()
	}
	if r.o.ACLs && n.Kind == Dir && r.IntN(8) == 0 {
		n.Default = r.acl()
	}
}

func (r *random) mode(k Kind) uint32 {
	if k == Symlink {
		return 0
	}
	modes := []uint32{0o644, 0o755, 0o600, 0o700, 0o444, 0o555, 0o666, 0o777, 0o640}
	if r.IntN(3) == 0 {
		modes = []uint32{0o4755, 0o2755, 0o6711, 0o1777, 0o7777, 0o2644, 0o4600}
	}
	mode := modes[r.IntN(len(modes))]
	switch {
	case r.o.Root && r.IntN(6) == 0:
		return r.Uint32N(0o10000)
	case !r.o.Root && k == Dir:
		return mode | 0o700 // otherwise the test could not read or remove it
	}
	return mode
}

func (r *random) id() int {
	return []int{0, 1, 1000, 65534, 100000}[r.IntN(5)]
}

// time returns a time in ext4's range, 1901 to 2446. Some times are before 1970, where rounding
// goes wrong.
func (r *random) time() Time {
	nsec := []int64{0, 1, 999999999, r.Int64N(1e9)}[r.IntN(4)]
	switch r.IntN(8) {
	case 0:
		return Time{-1 - r.Int64N(1<<31), nsec}
	case 1:
		return Time{r.Int64N(14 << 30), nsec}
	case 2:
		return Time{0, nsec}
	}
	return Time{1_600_000_000 + r.Int64N(100_000_000), nsec}
}

func (r *random) xattrs() (all []Xattr) {
	sizes := []int64{0, 1, 10, 100, 300}
	for i := range 1 + r.IntN(4) {
		name := "user." + strconv.Itoa(i) + strings.Repeat("n", r.IntN(40))
		all = append(all, Xattr{name, min(sizes[r.IntN(len(sizes))], r.o.MaxXattr), r.fill()})
	}
	if r.IntN(5) == 0 {
		all = []Xattr{{"user.large", r.o.MaxXattr, r.fill()}}
	}
	return all
}

// acl returns a list with named entries and a mask, or one that is equivalent to a mode. Everything
// is allowed to the owner unless it is root, because the test must read the file.
func (r *random) acl() ACL {
	perm := func() uint16 { return uint16(r.IntN(8)) }
	users, groups := r.IntN(3), r.IntN(2)
	a := ACL{{ACLUserObj, perm(), 0}}
	if !r.o.Root {
		a[0].Perm = 7
	}
	for i := range users {
		a = append(a, ACE{ACLUser, perm(), uint32(1000 * (i + 1))})
	}
	a = append(a, ACE{ACLGroupObj, perm(), 0})
	for i := range groups {
		a = append(a, ACE{ACLGroup, perm(), uint32(2000 + i)})
	}
	if users+groups > 0 {
		a = append(a, ACE{ACLMask, perm(), 0})
	}
	return append(a, ACE{ACLOther, perm(), 0})
}

// name returns a name; some are unusual.
func (r *random) name() string {
	if r.o.Names != nil {
		return r.o.Names[r.IntN(len(r.o.Names))]
	}
	plain := strconv.FormatUint(r.Uint64N(1<<20), 36)
	odd := []string{
		" " + plain, plain + " ", plain + "\n", "-" + plain, "--" + plain, "'" + plain + "\"", "\\" + plain, "*?[" + plain,
		"\xff\xfe" + plain, plain + "é", plain + "e\u0301", "..." + plain, "." + plain, "\x01\x7f" + plain, "$(" + plain + ")", plain + "~",
		plain + strings.Repeat("x", 255-len(plain)),
	}
	if r.IntN(4) > 0 {
		return plain
	}
	return odd[r.IntN(len(odd))]
}
