package cp

import (
	"os"
	"runtime"
)

// moreProcessors lets twice as many goroutines run as there are processors, for
// the rest of the process: to undo it would stop all goroutines, and wait for one
// that reads from a FIFO without an end. A goroutine that waits for the disk in a
// system call keeps its place for some 20 us and more, in which another could copy:
// on two processors a tree that is not in memory is copied in 0.75 of the time. Large
// files in memory take 0.85 of it, small ones a little more, so it is called when
// something takes long. A library cannot change this for its user; GOMAXPROCS in the
// environment says that the user has.
func moreProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * runtime.NumCPU())
	}
}
