package treecmp

import "fmt"

// Aspect is a set of attributes to compare. Names, types, targets of symbolic links, device
// numbers, sizes and bytes of files are always compared.
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
	Holes                        // ranges of data, by SEEK_DATA; for file systems of one kind
	HolesKept                    // the second file has holes where the first has any
	Blocks                       // allocated bytes, within BlockTolerance; xfs reserves some

	// All is all aspects without Blocks and HolesKept. HolesKept is for files with allocated and
	// unwritten ranges: SEEK_DATA calls them holes, and data after they were read. A file is sparse
	// if fewer bytes are allocated than it has.
	All = Mode | Owner | Mtime | Atime | Links | Xattrs | ACLs | Holes
)

// BlockTolerance is the difference in allocated bytes that two files may have.
const BlockTolerance = 64 << 10 // 64 KiB

// MaxDifferences is the most differences that Compare returns.
const MaxDifferences = 20

// Difference is a difference between two trees.
type Difference struct {
	Path string // in the trees; "" is the root
	What string
	A, B string // its values in the first and the second tree
}

// String returns the difference in one line.
func (d Difference) String() string {
	return fmt.Sprintf("%q: %s: %s, %s", d.Path, d.What, d.A, d.B)
}
