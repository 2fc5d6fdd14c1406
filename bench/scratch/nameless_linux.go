package scratch

import (
	"fmt"
	"os"
)

// nameless takes the file's name away: from now on processes open it by the descriptor
// that this one has, see proc_pid_fd(5). It is not ok where the file system, or a /proc
// that is not mounted, does not let them.
func nameless(f *os.File) (file *File, ok bool) {
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd())
	if err := os.Remove(f.Name()); err != nil {
		return nil, false
	}
	again, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, false
	}
	defer again.Close()
	a, errA := f.Stat()
	b, errB := again.Stat()
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return nil, false
	}
	return &File{f: f, path: path}, true
}
