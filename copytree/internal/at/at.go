// Package at is the operating system as a copy of trees sees it: calls that
// take an open directory and the name of something in it, and so never resolve
// a path twice nor follow what somebody has put into its way.
//
//	k := at.New()
//	d, err := k.OpenDir(base, name, at.NoFollow)
//	entries, used, err := k.ReadDir(d, buf, nil)
//	fd, err := k.Open(d, entries[0].Name, at.NoFollow, entries[0].Type)
//
// On Linux on amd64 and arm64 they are the system calls. Elsewhere they are
// made of package os: os.Root keeps names inside a directory, and there are
// neither devices, nor extended attributes, nor inode order.
//
// Errors are the system's, bare: most often a syscall.Errno.
package at

// Name is a single element of a path, ended by a zero byte, so that the kernel
// can be given it as it is.
type Name []byte

// NameOf returns s as a Name.
func NameOf(s string) Name { return append(append(make(Name, 0, len(s)+1), s...), 0) }

// String returns the name without its end.
func (n Name) String() string { return string(n[:len(n)-1]) }

// Dot is the directory itself.
var Dot = NameOf(".")

// DotDot is the one above it.
var DotDot = NameOf("..")

// Follow says whether a name that is a symbolic link stands for what the link
// leads to.
type Follow bool

// The choices for Follow.
const (
	NoFollow     Follow = false
	FollowsLinks Follow = true
)

// Type is what kind of file an entry is; its numbers are those of d_type
// (readdir(3)), and, shifted, of st_mode.
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

// Bits of Stat.Mode besides the type's: as st_mode has them.
const (
	ModePerm   = 0o777
	ModeSticky = 0o1000
	ModeSGID   = 0o2000
	ModeSUID   = 0o4000
	ModeBits   = 0o7777
)

// ID is what a file is: two names with one ID are the same file.
type ID struct{ Dev, Ino uint64 }

// Time is a point in time, as in struct timespec.
type Time struct{ Sec, Nsec int64 }

// Before tells whether t is earlier than u.
func (t Time) Before(u Time) bool {
	return t.Sec < u.Sec || t.Sec == u.Sec && t.Nsec < u.Nsec
}

// Stat is what is copied of a file besides its content.
type Stat struct {
	ID
	Mode         uint32 // type and permissions, as st_mode
	Nlink        uint64
	UID, GID     uint32
	Rdev         uint64 // which device it is
	Size         int64  // bytes
	Blocks       int64  // of 512 bytes
	Atime, Mtime Time
}

// Type returns the type that Mode has.
func (s *Stat) Type() Type { return Type(s.Mode >> 12 & 15) }

// Entry is a name in a directory.
type Entry struct {
	Name Name // in the buffer that was given to ReadDir
	Ino  uint64
	Next int64 // for SeekDir: where the entry after this one is
	Type Type
}

// DirentMost is how many bytes an entry takes at most in a ReadDir's buffer. A
// name has up to 255 bytes on Linux, and four times as many where file systems
// count UTF-16.
const DirentMost = 1 << 10

// Kernel makes the calls, for any number of goroutines. Descriptors are numbers;
// what a method opens is closed by Close.
type Kernel struct {
	// Hold has the most frequent calls not tell the Go scheduler that they may
	// take some time: see sys.Hold. Who sets it has a Kernel of his own (Own).
	Hold bool

	// Fault, if not nil, is asked before each call, and its error is what the
	// call returns, without being made. Close is made all the same. It is for
	// tests.
	Fault func(op string) error

	found *found
}

// New returns a Kernel.
func New() *Kernel { return &Kernel{found: new(found)} }

// Own returns a Kernel that shares with k what the system is found to be like.
func (k *Kernel) Own() *Kernel {
	own := *k
	return &own
}

func (k *Kernel) fault(op string) error {
	if k.Fault == nil {
		return nil
	}
	return k.Fault(op)
}

// Access is what a destination is opened for.
type Access uint8

// The choices for Access.
const (
	Write     Access = iota
	ReadWrite        // where it is to be read back
)

// Opening says how a destination that is there already is opened.
type Opening struct {
	Access Access
	Kind   Type // what it is, as far as is known
	Empty  bool // what is in it goes
	Create bool // it is made, with what the umask leaves of Mode, if it is not there
	Mode   uint32
}

// device tells whether opening may take some time, and is to take it: a modem
// waits for its line, a tape for its reel.
func (t Type) device() bool { return t == CharDev || t == BlockDev }

// Cached is what a call that must not wait has found.
type Cached uint8

// The answers.
const (
	CacheUnknown Cached = iota // the call is refused, for whatever reason
	CacheHit
	CacheMiss // the disk would have to be asked
)

// descriptorsElsewhere is how many descriptors there are at least, where the
// system does not tell.
const descriptorsElsewhere = 256
