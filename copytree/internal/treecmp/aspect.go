package treecmp

import "fmt"

// Aspect is a set of what is compared in addition to the names, types, targets of
// symbolic links, device numbers, sizes and bytes of files.
type Aspect uint16

// The aspects.
const (
	Mode      Aspect = 1 << iota // permissions, suid, sgid, sticky
	Owner                        // user and group
	Mtime                        // to the nanosecond
	Atime                        // as it was before the comparison
	Links                        // which files are hard links of each other
	Xattrs                       // extended attributes without ACLs
	ACLs                         // POSIX ACLs, access and default
	Holes                        // which bytes are data, by SEEK_DATA; for file systems of one kind
	HolesKept                    // the second file has holes where the first has, if any
	Blocks                       // allocated bytes, within BlockTolerance; xfs reserves some

	// All is all of them without Blocks and HolesKept. HolesKept is for files with
	// ranges that are allocated and not written, which SEEK_DATA calls holes, and data
	// as soon as they were read. A file is sparse if fewer bytes are allocated than it
	// has.
	All = Mode | Owner | Mtime | Atime | Links | Xattrs | ACLs | Holes
)

// BlockTolerance is by how many allocated bytes two files may differ.
const BlockTolerance = 64 << 10 // 64 KiB

// MaxDifferences is how many differences Compare returns at most.
const MaxDifferences = 20

// Difference is something in which two trees differ.
type Difference struct {
	Path string // in the trees; "" is the root
	What string
	A, B string // what it is in the first tree and in the second
}

// String returns the difference in one line.
func (d Difference) String() string {
	return fmt.Sprintf("%q: %s: %s, %s", d.Path, d.What, d.A, d.B)
}
