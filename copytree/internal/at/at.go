// Package at has the system calls for copying trees. They take an open directory and a name in it.
// So no path is resolved twice, and no symbolic link is followed that another process has put
// there.
//
//	k := at.New()
//	d, err := k.OpenDir(base, name, at.NoFollow)
//	entries, used, err := k.ReadDir(d, buf, nil)
//	fd, err := k.Open(d, entries[0].Name, at.NoFollow, entries[0].Type)
//
// On Linux on amd64 and arm64 each method is a system call. Elsewhere the methods use package os:
// os.Root keeps names inside a directory, and there are no devices, no extended attributes and no
// inode numbers to sort by.
//
// Errors are the system's, unwrapped: most often a syscall.Errno.
package at

// Name is a single element of a path. It ends with a zero byte, ready for the kernel.
type Name []byte

// NameOf returns s as a Name.
func NameOf(s string) Name { return append(append(make(Name, 0, len(s)+1), s...), 0) }

// String returns the name without the zero byte.
func (n Name) String() string { return string(n[:len(n)-1]) }

// The names in each directory of itself and of its parent.
var (
	Dot    = NameOf(".")
	DotDot = NameOf("..")
)

// Follow is true if a symbolic link stands for its target.
type Follow bool

// The choices for Follow.
const (
	NoFollow     Follow = false
	FollowsLinks Follow = true
)

// Type is the type of a file. Its numbers are d_type's (readdir(3)), which st_mode has in its upper
// bits.
type Type uint8

// The types.
const (
	Unknown   Type = 0 // the directory does not tell
	FIFO      Type = 1
	CharDev   Type = 2
	Directory Type = 4
	BlockDev  Type = 6
	Regular   Type = 8
	Symlink   Type = 10
	Socket    Type = 12
)

// Bits of Stat.Mode besides the type, as in st_mode.
const (
	ModePerm   = 0o777
	ModeSticky = 0o1000
	ModeSGID   = 0o2000
	ModeSUID   = 0o4000
	ModeBits   = 0o7777
)

// ID identifies a file. Names with the same ID are names of one file.
type ID struct{ Dev, Ino uint64 }

// Time is a point in time, as in struct timespec.
type Time struct{ Sec, Nsec int64 }

// Before reports whether t is earlier than u.
func (t Time) Before(u Time) bool {
	return t.Sec < u.Sec || t.Sec == u.Sec && t.Nsec < u.Nsec
}

// Cut returns t rounded down to a multiple of step. step is in nanoseconds, and divides a second or
// is whole seconds.
func (t Time) Cut(step int64) Time {
	const second = 1e9
	if step < second {
		return Time{t.Sec, t.Nsec - t.Nsec%step}
	}
	step /= second
	return Time{Sec: t.Sec - ((t.Sec%step)+step)%step}
}

// Stat is a file's stat(2).
type Stat struct {
	ID
	Mode         uint32 // type and permissions, as st_mode
	Nlink        uint64
	UID, GID     uint32
	Rdev         uint64 // the number of a device
	Size         int64  // bytes
	Blocks       int64  // of 512 bytes
	Atime, Mtime Time
}

// Type returns the type in Mode.
func (s *Stat) Type() Type { return Type(s.Mode >> 12 & 15) }

// Entry is a name in a directory.
type Entry struct {
	Name Name // in the buffer of ReadDir
	Ino  uint64
	Next int64 // the position of the next entry, for SeekDir
	Type Type
}

// MaxDirent is the most bytes of an entry in a buffer of ReadDir. A name has up to 255 bytes on
// Linux, and up to four times as many on file systems that count in UTF-16.
const MaxDirent = 1 << 10

// Kernel makes the calls. Descriptors are numbers: Close closes a descriptor of another method.
// Several goroutines may use a Kernel; one worker goroutine alone uses a clone.
type Kernel struct {
	// Fault, if not nil, is called before each call, for tests. If it returns an error, the call is
	// skipped and returns that error; only Close closes all the same.
	Fault func(op string) error

	hold   *bool // see Clone; nil without Clone
	shared *shared
}

// New returns a Kernel.
func New() *Kernel { return &Kernel{shared: new(shared)} }

// Clone returns another Kernel that shares k's knowledge about the system. While *hold is set, its
// most frequent calls keep the P: the Go scheduler does not learn that they may take long
// (sys.Hold).
func (k *Kernel) Clone(hold *bool) *Kernel {
	own := *k
	own.hold = hold
	return &own
}

func (k *Kernel) fault(op string) error {
	if k.Fault == nil {
		return nil
	}
	return k.Fault(op)
}

// Access is the purpose of opening a destination.
type Access uint8

// The choices for Access.
const (
	Write     Access = iota
	ReadWrite        // the copy is read back
)

// Opening says how an existing destination is opened.
type Opening struct {
	Access Access
	Type   Type   // the destination's type, if known
	Empty  bool   // remove its content
	Create bool   // create it if it does not exist
	Mode   uint32 // with Create: the permissions before the umask
}

// isDevice reports whether opening a file of type t may have to wait, for instance for a modem line
// or a tape reel. Such files must not be opened with O_NONBLOCK.
func (t Type) isDevice() bool { return t == CharDev || t == BlockDev }

// Cached is the answer of a call that cannot wait: was everything in memory?
type Cached uint8

// The answers.
const (
	CacheUnknown Cached = iota // the call failed for another reason
	CacheHit
	CacheMiss // the disk must be read
)

// defaultDescriptors is a process's number of descriptors if the system's limit is unknown.
const defaultDescriptors = 256
