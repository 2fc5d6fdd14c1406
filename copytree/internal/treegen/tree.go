package treegen

import (
	"fmt"
	"path"
	"strings"
)

// Tree is a tree of files: the root, whose Path is "", and then every file. Directories come before
// their entries, and files before their hard links.
type Tree []Node

// Node is one file of a Tree. Fields that do not apply to its Kind are zero.
type Node struct {
	Path         string // relative, any bytes but NUL; "" is the root
	Kind         Kind
	Mode         uint32 // the lower twelve bits; not for symbolic links
	UID, GID     int    // ignored if Build may not change owners
	Atime, Mtime Time
	Size         int64    // of a File, in bytes
	Data         []Extent // of a File, ascending, with holes between
	Target       string   // the target of a Symlink; another Node's Path for a HardLink
	Xattrs       []Xattr
	ACL, Default ACL    // nil: no ACL; an ACL replaces the permissions of Mode
	Major, Minor uint32 // of a device
}

// Kind is the type of a Node.
type Kind uint8

// The kinds of files.
const (
	Dir Kind = iota
	File
	Symlink
	HardLink // another name of an earlier Node
	FIFO
	Socket
	CharDevice
	BlockDevice
)

var kinds = [...]string{"Dir", "File", "Symlink", "HardLink", "FIFO", "Socket", "CharDevice", "BlockDevice"}

// String returns the constant's name.
func (k Kind) String() string { return kinds[k] }

// Time is a time for utimensat(2): seconds since 1970, possibly negative, plus nanoseconds.
type Time struct{ Sec, Nsec int64 }

// Extent is a range of a File that is not a hole. Fill selects its bytes: Zeros, Unwritten, or
// bytes that depend on Fill and their offset.
type Extent struct{ Off, Len, Fill int64 }

// Values of Extent.Fill other than seeds.
const (
	Zeros     = 0
	Unwritten = -1 // allocated with fallocate(2), not written
)

// Xattr is an extended attribute whose value is Len bytes that depend on Fill.
type Xattr struct {
	Name      string
	Len, Fill int64
}

// String returns the tree as a Go literal of package treegen.
func (t Tree) String() string {
	var b strings.Builder
	b.WriteString("treegen.Tree{\n")
	for _, n := range t {
		fmt.Fprintf(&b, "\t{%s},\n", n)
	}
	b.WriteString("}")
	return b.String()
}

// String returns the Node's fields as a Go literal without zero fields.
func (n Node) String() string {
	fields := []string{fmt.Sprintf("Path: %q, Kind: treegen.%v, Mode: 0o%o", n.Path, n.Kind, n.Mode)}
	add := func(there bool, format string, args ...any) {
		if there {
			fields = append(fields, fmt.Sprintf(format, args...))
		}
	}
	add(n.UID != 0 || n.GID != 0, "UID: %d, GID: %d", n.UID, n.GID)
	add(n.Atime != Time{}, "Atime: treegen.Time{Sec: %d, Nsec: %d}", n.Atime.Sec, n.Atime.Nsec)
	add(n.Mtime != Time{}, "Mtime: treegen.Time{Sec: %d, Nsec: %d}", n.Mtime.Sec, n.Mtime.Nsec)
	add(n.Size != 0, "Size: %d", n.Size)
	add(len(n.Data) > 0, "Data: %#v", n.Data)
	add(n.Target != "", "Target: %q", n.Target)
	add(len(n.Xattrs) > 0, "Xattrs: %#v", n.Xattrs)
	add(n.ACL != nil, "ACL: %#v", n.ACL)
	add(n.Default != nil, "Default: %#v", n.Default)
	add(n.Major != 0 || n.Minor != 0, "Major: %d, Minor: %d", n.Major, n.Minor)
	return strings.Join(fields, ", ")
}

// parent returns the Path of p's directory, and p's name in it. The root is "." in itself.
func parent(p string) (dir, name string) {
	if p == "" {
		return "", "."
	}
	dir, name = path.Split(p)
	return strings.TrimSuffix(dir, "/"), name
}

// Only returns the tree without the nodes for which keep is false, and without nodes that need
// them: entries of a directory, hard links to a file. The root stays.
func (t Tree) Only(keep func(i int) bool) Tree {
	there := map[string]bool{}
	var kept Tree
	for i, n := range t {
		dir, _ := parent(n.Path)
		if n.Path != "" && (!keep(i) || !there[dir] || n.Kind == HardLink && !there[n.Target]) {
			continue
		}
		there[n.Path] = true
		kept = append(kept, n)
	}
	return kept
}
