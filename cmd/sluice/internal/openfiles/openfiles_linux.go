package openfiles

import (
	"errors"
	"syscall"
)

// needed is the largest number of descriptors that the program has open at once before main
// begins: two of the netpoller, and a pipe of go-fuse.
const needed = 4

func init() {
	if err := tryOpen(needed); err != nil {
		err = errors.New("sluice: hardly any file can be opened: " + err.Error() + " (raise the limit: ulimit -n)")
		syscall.Write(2, []byte(err.Error()+"\n"))
		syscall.Exit(1)
	}
}

// tryOpen returns an error if the process cannot have n descriptors more.
func tryOpen(n int) error {
	if n == 0 {
		return nil
	}
	fd, err := syscall.Dup(2) // the runtime has opened 0, 1 and 2
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return tryOpen(n - 1)
}
