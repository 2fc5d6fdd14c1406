package scratch

import (
	"fmt"
	"os"
)

// nameless removes the file's name. Then processes open the file by this process's descriptor
// (proc_pid_fd(5)). ok is false if that does not work on the file system, or /proc is not mounted.
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
