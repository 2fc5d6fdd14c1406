package treecmp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// file compares a file in both trees. It reports whether both are directories.
func (c *comparison) file(path string, a, b at) (isDir bool, err error) {
	sa, err := a.stat()
	if err != nil {
		return false, err
	}
	sb, err := b.stat()
	if err != nil {
		return false, err
	}
	if sa.Mode&unix.S_IFMT != sb.Mode&unix.S_IFMT {
		c.differ(path, "type", typeName(sa.Mode), typeName(sb.Mode))
		return false, nil
	}
	if c.again(path, &sa, &sb) {
		return false, nil
	}
	c.status(path, &sa, &sb)
	if err := c.attributes(path, a, b); err != nil {
		return false, err
	}
	switch sa.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return true, nil
	case unix.S_IFLNK:
		return false, c.symlinks(path, a, b)
	case unix.S_IFREG:
		return false, c.contents(path, a, b, &sa, &sb)
	case unix.S_IFCHR, unix.S_IFBLK:
		c.same(path, "device", device(sa.Rdev), device(sb.Rdev))
	}
	return false, nil
}

var typeNames = map[uint32]string{
	unix.S_IFDIR: "directory", unix.S_IFREG: "file", unix.S_IFLNK: "symbolic link", unix.S_IFIFO: "FIFO",
	unix.S_IFSOCK: "socket", unix.S_IFCHR: "character device", unix.S_IFBLK: "block device",
}

func typeName(mode uint32) string { return typeNames[mode&unix.S_IFMT] }

func device(dev uint64) string { return fmt.Sprintf("%d:%d", unix.Major(dev), unix.Minor(dev)) }

// same adds a difference if a and b are not equal.
func (c *comparison) same(path, what string, a, b any) {
	if a != b {
		c.differ(path, what, a, b)
	}
}

// status compares the results of stat(2).
func (c *comparison) status(path string, a, b *unix.Stat_t) {
	if c.Aspect&Mode != 0 && a.Mode&unix.S_IFMT != unix.S_IFLNK {
		c.same(path, "mode", fmt.Sprintf("%04o", a.Mode&0o7777), fmt.Sprintf("%04o", b.Mode&0o7777))
	}
	if c.Aspect&Owner != 0 {
		c.same(path, "owner", fmt.Sprintf("%d:%d", a.Uid, a.Gid), fmt.Sprintf("%d:%d", b.Uid, b.Gid))
	}
	if c.Aspect&Mtime != 0 {
		c.same(path, "mtime", moment(a.Mtim), moment(b.Mtim))
	}
	if c.Aspect&Atime != 0 {
		c.same(path, "atime", moment(a.Atim), moment(b.Atim))
	}
	if c.Aspect&Blocks != 0 && a.Mode&unix.S_IFMT == unix.S_IFREG && max(a.Blocks-b.Blocks, b.Blocks-a.Blocks)*512 > BlockTolerance {
		c.differ(path, "bytes allocated", a.Blocks*512, b.Blocks*512)
	}
}

func moment(t unix.Timespec) string { return fmt.Sprintf("%d+%09dns", t.Sec, t.Nsec) }

// again reports whether the file was compared before, by another of its names. Only the first name
// is compared, because reading a symbolic link changes its access time. again also compares the
// hard links of the files.
func (c *comparison) again(path string, a, b *unix.Stat_t) bool {
	if a.Mode&unix.S_IFMT == unix.S_IFDIR {
		return false
	}
	fa, fb := c.firstName(0, path, a), c.firstName(1, path, b)
	if c.Aspect&Links != 0 {
		c.same(path, "is a link of", fa, fb)
	}
	return fa == fb && fa != path
}

// firstName returns the first found name of a file. Both trees are walked in the same order: if the
// first names are the same in both, so are the hard links.
func (c *comparison) firstName(tree int, path string, st *unix.Stat_t) string {
	if st.Nlink == 1 {
		return path
	}
	id := inode{st.Dev, st.Ino}
	if name, ok := c.first[tree][id]; ok {
		return name
	}
	c.first[tree][id] = path
	return path
}

func (c *comparison) symlinks(path string, a, b at) error {
	ta, err := a.readlink()
	if err != nil {
		return err
	}
	tb, err := b.readlink()
	if err != nil {
		return err
	}
	c.same(path, "symbolic link to", fmt.Sprintf("%q", ta), fmt.Sprintf("%q", tb))
	return nil
}

// attributes compares extended attributes and ACLs.
func (c *comparison) attributes(path string, a, b at) error {
	if c.Aspect&(Xattrs|ACLs) == 0 {
		return nil
	}
	xa, err := a.xattrs()
	if err != nil {
		return err
	}
	xb, err := b.xattrs()
	if err != nil {
		return err
	}
	all := maps.Clone(xa)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, xb)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		aspect := Xattrs
		if strings.HasPrefix(name, "system.posix_acl_") {
			aspect = ACLs
		}
		if c.Aspect&aspect != 0 {
			c.same(path, name, show(xa, name), show(xb, name))
		}
	}
	return nil
}

// show returns the value of an attribute as text. Of a long value it returns the first bytes and a
// checksum.
func show(all map[string]string, name string) string {
	value, ok := all[name]
	switch {
	case !ok:
		return "none"
	case len(value) > 64:
		return fmt.Sprintf("%x… (%d bytes, %08x)", value[:32], len(value), checksum(value))
	}
	return fmt.Sprintf("%x", value)
}
