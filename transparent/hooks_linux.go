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
	// Seeks: Disk has to know of them. Elsewhere lseek(2) is made as before.
	Seeks bool
}

// The hooks. internal/poll knows these two variables by name (go:linkname).
var (
	// open tells who performs the system calls on a descriptor: nil is the old
	// way.
	open atomic.Pointer[func(fd int) *state]
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
		exit.Store(&printer)
	}
	open.Store(&opener)
}
