package trace

import (
	"strconv"

	"github.com/sluiceio/sluice/internal/record"
)

// Kind is what an operation does. It has one of these names:
//
//	read write fsync fdatasync                     of all files
//	open close stat lstat mkdir rmdir rename link  of a Batch
//	symlink unlink allocate truncate advise        of a Batch
type Kind uint8

// The kinds that transfer bytes or make them durable. The other kinds have names only.
const (
	OpRead Kind = 1 + iota
	OpWrite
	OpFsync
	OpFdatasync
)

// Path is how an operation was performed. It does not say where the bytes were: a plain call may
// have read them from the page cache or from the disk.
type Path uint8

// The paths of operations.
const (
	Cached Path = iota // answered by the page cache, in a system call that cannot wait
	Plain              // by a plain call: a system call in which the thread may wait
	Queued             // through a ring of the driver; no thread waits
	Shared             // by another operation's fsync, which served this Sync or Datasync
)

// Driver is the driver that carried an operation to the kernel. Its name is "uring", "aio" or
// "pool", as in sluice.Options.Driver. The zero Driver, whose name is "", is none.
type Driver uint8

// Syscall is a system call, or a trial of a governor; see [Syscall.Trial]. The zero Syscall, whose
// name is "", is none.
type Syscall uint8

var (
	kindNames = []string{
		"nop", "read", "write", "fsync", "fdatasync",
		"open", "close", "allocate", "truncate", "advise",
		"stat", "lstat", "rename", "link", "symlink", "unlink", "rmdir", "mkdir",
	}
	pathNames    = []string{"cached", "plain", "queued", "shared"}
	driverNames  = []string{"", "uring", "aio", "pool", "other"} // only tests have another driver
	syscallNames = []string{
		"", "io_uring_setup", "io_uring_enter", "io_uring_register",
		"io_setup", "io_submit", "io_getevents", "io_destroy", "preadv2", "pread64", "pwrite64",
		"fsync", "fdatasync", "sync_file_range", "statx", "write(eventfd)", "read", "write",
		"trial (plain)", "trial (queue)",
	}
)

// name returns the i-th name. If there is none, it returns kind and the number: the file of a newer
// version may have numbers that this version does not know.
func name(names []string, kind string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return kind + "(" + strconv.Itoa(int(i)) + ")"
}

// String returns the kind's name, such as "read".
func (k Kind) String() string { return name(kindNames, "kind", uint8(k)) }

// String returns the path's name: "cached", "plain", "queued" or "shared".
func (p Path) String() string { return name(pathNames, "path", uint8(p)) }

// String returns the driver's name, such as "uring", and "" for none.
func (d Driver) String() string { return name(driverNames, "driver", uint8(d)) }

// String returns the kernel's name of the system call, such as "preadv2", and "" for none.
func (c Syscall) String() string { return name(syscallNames, "syscall", uint8(c)) }

// Trial reports whether c is a trial, and no system call. In a trial, a governor performs the
// operations of one kind and device the other way for a short time: by plain calls, "trial
// (plain)", or queued, "trial (queue)". The [Call] has these fields:
//
//	Batch   how many operations began in the trial
//	Result  their rate, in per mille of the rate before and after: 1100 is 10 % faster
func (c Syscall) Trial() bool { return c == record.TrialPlain || c == record.TrialQueue }
