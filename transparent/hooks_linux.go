//go:build amd64 || arm64

package transparent

import (
	"fmt"
	"os"
	"sync/atomic"
	_ "unsafe" // for go:linkname
)

// disk performs the system calls on one descriptor. The caller, internal/poll, keeps the descriptor
// open until they return. Results are the kernel's: short counts, 0 at the end of the file,
// syscall.Errno.
//
// disk and state are aliases of type literals: internal/poll cannot import this package, and
// declares the same types once more.
type disk = interface {
	Read(p []byte) (int, error)
	Write(p []byte) (int, error)
	Pread(p []byte, off int64) (int, error)
	Pwrite(p []byte, off int64) (int, error)
	Seek(offset int64, whence int) (int64, error)
	Fsync() error
	// Block calls do, which makes one system call that may wait for the disk.
	Block(do func())
}

// state is the decision about a descriptor. The zero value means plain system calls.
type state = struct {
	Disk disk
	// Misses, while 0, lets internal/poll try the page cache, or read(2) for a Read, before it
	// calls Disk. If Misses is nil, internal/poll never tries.
	Misses *atomic.Uint32
	// ConcurrentSyncs, while false, lets internal/poll make some writes without Disk. While it is
	// true, the scheduler must know how many bytes are not synced yet. If ConcurrentSyncs is nil,
	// Disk makes all writes.
	ConcurrentSyncs *atomic.Bool
	// Seeks is true if Disk must make the Seeks. Otherwise internal/poll calls lseek(2).
	Seeks bool
}

// The hooks are variables of internal/poll in a program of `sluice build`. In all others nothing
// reads them.

// open returns the state of a descriptor; nil means plain system calls.
//
//go:linkname open internal/poll.sluiceOpen
var open atomic.Pointer[func(fd int) *state]

// fresh is the state of a file that was just opened. internal/poll calls open for it only after a
// miss in the page cache, which most small files never have.
//
//go:linkname fresh internal/poll.sluiceFresh
var fresh atomic.Pointer[state]

// exit is called when the program calls os.Exit or returns from main.
//
//go:linkname exit internal/poll.sluiceExit
var exit atomic.Pointer[func()]

func init() {
	if open.Load() != nil {
		return // a plugin of another module: the program has a copy of this package, with the hooks
	}
	served := serveDebug()
	driver := os.Getenv("SLUICE_DRIVER")
	switch driver {
	case "off":
		return
	case "", "uring", "aio", "pool":
	default:
		fmt.Fprintf(os.Stderr, "sluice: not in use: SLUICE_DRIVER %q is not one of uring, aio, pool, off\n", driver)
		return
	}
	// The Scheduler starts now and not with the first operation: the program may then hold locks
	// that the start needs.
	p, err := newProvider(driver)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sluice: not in use:", err)
		return
	}
	p.counts = served
	atExit := p.stressed()
	if os.Getenv("SLUICE_STATS") == "1" {
		p.counts = true
		atExit = append(atExit, p.printStats)
	}
	if len(atExit) > 0 {
		do := func() {
			for _, f := range atExit {
				f()
			}
		}
		exit.Store(&do)
	}
	opener := p.open
	fresh.Store(p.fresh())
	open.Store(&opener)
}
