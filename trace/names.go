package trace

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/internal/record"
)

// Kind is what an operation does. It has one of these names:
//
//	read write fsync fdatasync                     of all files
//	open close stat lstat mkdir rmdir rename link  of package batch
//	symlink unlink allocate truncate advise        of package batch
type Kind uint8

// The kinds that transfer bytes or make them durable. The other kinds have names only.
const (
	KindRead Kind = 1 + iota
	KindWrite
	KindFsync
	KindFdatasync
)

// Path is how an operation was performed. It does not say where the bytes were: a plain call may
// have read them from the page cache or from the disk.
type Path uint8

// The paths of operations.
const (
	PathCached Path = iota // answered by the page cache, in a system call that cannot wait
	PathPlain              // by a plain call: a system call in which the thread may wait
	PathQueued             // through a ring of the driver; no thread waits
	PathShared             // by another operation's fsync, which served this Sync or Datasync
)

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
		"trial reads queue", "trial reads plain", "trial large queue", "trial large plain",
		"trial pos. queue", "trial pos. plain", "trial write queue", "trial write plain",
		"trial fsync queue", "trial fsync plain",
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

// number returns the number that has a name, as name returns it, or other if none has.
func number(names []string, kind, of string, other uint8) uint8 {
	if i := slices.Index(names, of); i >= 0 {
		return uint8(i)
	}
	if digits, ok := strings.CutPrefix(of, kind+"("); ok {
		if n, err := strconv.ParseUint(strings.TrimSuffix(digits, ")"), 10, 8); err == nil {
			return uint8(n)
		}
	}
	return other
}

func driverName(d uint8) string   { return name(driverNames, "driver", d) }
func driverNumber(s string) uint8 { return number(driverNames, "driver", s, record.DriverOther) }

func syscallName(c uint8) string   { return name(syscallNames, "syscall", c) }
func syscallNumber(s string) uint8 { return number(syscallNames, "syscall", s, record.SysNone) }

// isTrial reports whether a record of a call is one of a trial.
func isTrial(c uint8) bool { return c >= record.Trials && int(c) < len(syscallNames) }
