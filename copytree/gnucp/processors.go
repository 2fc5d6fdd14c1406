package gnucp

import (
	"os"
	"runtime"
)

// moreProcessors doubles GOMAXPROCS for the rest of the process. The engine calls it when an
// operation takes long.
//
// A goroutine in a system call that waits for the disk keeps its P for 20 us and more, while
// another goroutine could copy. On two processors a tree that is not in memory takes 0.75 of the
// time. Large files in memory take 0.85, and small files in memory slightly more than 1. A library
// must not change GOMAXPROCS. This command may, unless the environment sets it. GOMAXPROCS is not
// set back: that stops all goroutines, and would wait for an endless read of a FIFO.
func moreProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * runtime.NumCPU())
	}
}
