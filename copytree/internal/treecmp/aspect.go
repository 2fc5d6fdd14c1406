package treecmp

import "fmt"

// Aspect is a set of what is compared besides the names, types, symbolic
// links' texts, device numbers, sizes and bytes of files.
type Aspect uint16

// The aspects.
const (
	Mode      Aspect = 1 << iota // permissions, suid, sgid, sticky
	Owner                        // user and group
	Mtime                        // to the nanosecond
	Atime                        // as it is before anything is read here
	Links                        // which files are hard links of each other
	Xattrs                       // extended attributes but ACLs
	ACLs                         // of POSIX, access and default
	Holes                        // what SEEK_DATA says is data, to the byte; both on one kind of file system
	HolesKept                    // that the second has no data where the first, if it is sparse, has a hole
	Blocks                       // allocated ones, within BlockTolerance; says little on xfs, which reserves some

	// All is all of them but Blocks. HolesKept is Holes for files that may have
	// ranges which are allocated and not written: SEEK_DATA calls these holes, and
	// data as soon as they were read. A file is sparse if it has less room than
	// bytes.
	All = Mode | Owner | Mtime | Atime | Links | Xattrs | ACLs | Holes
)

// BlockTolerance is by how many bytes the room that a file takes may differ, as
// Blocks has it.
const BlockTolerance = 64 << 10

// MaxDifferences is how many differences are looked for.
const MaxDifferences = 20

// Difference is something in which two trees differ. A and B say how it is in
// either.
type Difference struct {
	Path string // in the trees; "" is the root
	What string
	A, B string
}

// String is one line.
func (d Difference) String() string {
	return fmt.Sprintf("%q: %s: %s, %s", d.Path, d.What, d.A, d.B)
}
