package trace

import "strconv"

// Kind is what an operation does.
type Kind uint8

// The kinds of operations.
const (
	OpNop Kind = iota
	OpRead
	OpWrite
	OpFsync
	OpFdatasync
	OpOpen
	OpClose
	OpAllocate
	OpTruncate
	OpAdvise
	OpStat
	OpLstat
	OpRename
	OpLink
	OpSymlink
	OpUnlink
	OpRmdir
	OpMkdir
)

// Path is how an operation was performed. It does not say where the data was: a
// plain system call, Blocking, may have read it from the page cache or from the
// disk.
type Path uint8

// The paths.
const (
	Cached   Path = iota // by a read of the page cache that cannot wait
	Blocking             // by a plain system call, in which a thread may wait
	Queued               // through the driver; no thread waits
	Shared               // a Sync or Datasync that another operation's call served
)

// Driver is what carries operations to the kernel.
type Driver uint8

// The drivers.
const (
	DriverNone  Driver = iota
	DriverUring        // io_uring
	DriverAIO          // Linux AIO
	DriverPool         // threads
	DriverOther        // any other; only tests have one
)

// Syscall names a system call, or a trial of a governor; see Trial.
type Syscall uint8

// The system calls.
const (
	SysNone Syscall = iota
	SysUringSetup
	SysUringEnter
	SysUringRegister
	SysIOSetup
	SysIOSubmit
	SysIOGetevents
	SysIODestroy
	SysPreadv2
	SysPread
	SysPwrite
	SysFsync
	SysFdatasync
	SysSyncFileRange
	SysStatx
	SysEventfd
	SysRead
	SysWrite
)

// The trials of governors. A trial is no system call. It is an epoch, a short time, in which a
// governor has the operations of one kind, on one device, performed in the other way than before.
// Call.Batch is the number of operations that began in it. Call.Result is how many began in a
// second, in per mille of the mean of the epochs before and after it: 1100 is 10 % faster.
const (
	TrialPlain Syscall = SysWrite + 1 + iota // of plain calls
	TrialQueue                               // of the queue
)

// Full is what a Recorder does when its buffers are full.
type Full uint8

const (
	// Overwrite overwrites the oldest events.
	Overwrite Full = iota
	// Keep keeps what was recorded and drops later events.
	Keep
)

var (
	kindNames = []string{
		"nop", "read", "write", "fsync", "fdatasync", "open", "close", "allocate", "truncate", "advise",
		"stat", "lstat", "rename", "link", "symlink", "unlink", "rmdir", "mkdir",
	}
	pathNames    = []string{"cached", "blocking", "queued", "shared"}
	driverNames  = []string{"", "uring", "aio", "pool", "other"}
	syscallNames = []string{
		"", "io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "io_submit", "io_getevents",
		"io_destroy", "preadv2", "pread64", "pwrite64", "fsync", "fdatasync", "sync_file_range", "statx", "write(eventfd)",
		"read", "write", "trial (plain)", "trial (queue)",
	}
	fullNames = []string{"overwrite", "keep"}
)

// name returns the i-th name, or what and the number: a file that was written by
// a newer version may have numbers that are not known here.
func name(names []string, what string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return what + "(" + strconv.Itoa(int(i)) + ")"
}

// String returns the kind's name, as "read".
func (k Kind) String() string { return name(kindNames, "kind", uint8(k)) }

// String returns the path's name, as "cached".
func (p Path) String() string { return name(pathNames, "path", uint8(p)) }

// String returns the driver's name, as "uring"; "" for DriverNone.
func (d Driver) String() string { return name(driverNames, "driver", uint8(d)) }

// String returns the system call's name, as "preadv2"; "" for SysNone.
func (c Syscall) String() string { return name(syscallNames, "syscall", uint8(c)) }

// Trial reports whether c is a trial of a governor, and so no system call.
func (c Syscall) Trial() bool { return c == TrialPlain || c == TrialQueue }

// String returns "overwrite" or "keep".
func (f Full) String() string { return name(fullNames, "full", uint8(f)) }
