package gnucp

import (
	"os"
	"runtime"
)

// moreProcessors doubles GOMAXPROCS for the rest of the process. The engine calls it when an
// operation takes long: a goroutine that waits for the disk in a system call keeps its P for a
// while (docs/decisions/0019-copying-trees.md). A library must not change GOMAXPROCS. This command
// may, unless the environment sets it. It is not set back, because that stops all goroutines, and
// would wait for an endless read of a FIFO.
func moreProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * runtime.NumCPU())
	}
}
