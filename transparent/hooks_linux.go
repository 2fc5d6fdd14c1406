//go:build amd64 || arm64

package transparent

import (
	"fmt"
	"os"
	"sync/atomic"
)

// disk performs the system calls on one descriptor. The caller, internal/poll,
// keeps the descriptor open meanwhile. Results are the kernel's: short counts,
// 0 at the end of the file, syscall.Errno.
//
// It is a literal type, as state and the variables' are: internal/poll cannot
// import this package, and declares them once more.
type disk = interface {
	Read(p []byte) (int, error)
	Write(p []byte) (int, error)
	Pread(p []byte, off int64) (int, error)
	Pwrite(p []byte, off int64) (int, error)
	Seek(offset int64, whence int) (int64, error)
	Fsync() error
	// Block calls do, which makes one system call that may wait for a disk.
	Block(do func())
}

// state is what is decided of a descriptor; the zero value is the old way.
type state = struct {
	Disk disk
	// Misses is 0 while internal/poll is to look into the page cache by itself, before it
	// asks Disk; nil is never.
	Misses *atomic.Uint32
	// Places are for the reads and writes of few bytes that internal/poll makes by itself, in
	// system calls that are what Disk would make; nil is none.
	Places *places
	// Crowded is true while Disk is to make all writes, as it has to know how many bytes are
	// in no fsync yet; nil is never.
	Crowded *atomic.Bool
	// Seeks: Disk has to know of them. Elsewhere lseek(2) is made as before.
	Seeks bool
}

// place is for one call at a time, and in cache lines of its own, as many goroutines take one in turn.
type place = struct {
	Taken atomic.Uint32 // 1 while it is
	// Left is how many more reads of File need not look into the page cache first. Who
	// has taken the place uses these two.
	Left uint32
	File uintptr // a poll.FD, or one that there was at that address
	Pad  [112]byte
}

// places bounds how many threads wait in calls that internal/poll makes by itself.
type places = [8]place

// The hooks. internal/poll knows these variables by name (go:linkname).
var (
	// open tells who performs the system calls on a descriptor: nil is the old
	// way.
	open atomic.Pointer[func(fd int) *state]
	// fresh is the state of a file that was opened just now, which open is asked about
	// when something is not in the page cache: that is never, of most small files.
	fresh atomic.Pointer[state]
	// exit is called when the program ends by os.Exit or by returning from main.
	exit atomic.Pointer[func()]
)

func init() {
	driver := os.Getenv("SLUICE_DRIVER")
	switch driver {
	case "off":
		return
	case "", "uring", "aio", "pool":
	default:
		fmt.Fprintf(os.Stderr, "sluice: not in use: SLUICE_DRIVER %q is not one of uring, aio, pool, off\n", driver)
		return
	}
	// Now, and not with the first operation: that may come from anywhere, with
	// locks held that what is done here would need.
	p, err := newProvider(driver)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sluice: not in use:", err)
		return
	}
	opener, printer := p.open, p.printStats
	if os.Getenv("SLUICE_STATS") == "1" {
		p.counts = true
		exit.Store(&printer)
	}
	fresh.Store(p.fresh())
	open.Store(&opener)
}
