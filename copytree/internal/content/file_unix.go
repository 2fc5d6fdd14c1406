//go:build unix

package content

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// truncate is ftruncate(2).
func truncate(fd int, size int64) error {
	err := unix.Ftruncate(fd, size)
	for err == unix.EINTR {
		err = unix.Ftruncate(fd, size)
	}
	return err
}

// size is the length of a file.
func size(fd int) (int64, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return st.Size, err
}

// patience is how long it takes at most to see that the context has ended, in
// milliseconds.
const patience = 100

// readNext reads what comes next in a source that has no offsets: a FIFO, a
// terminal.
func (j *job) readNext(b []byte) (int, error) {
	for {
		if err := j.ctx.Err(); err != nil {
			return 0, &Error{"read", true, err}
		}
		ready := []unix.PollFd{{Fd: int32(j.src.FD), Events: unix.POLLIN}}
		if n, err := unix.Poll(ready, patience); err == nil && n == 0 {
			continue
		}
		n := sys.Read(j.src.FD, b)
		if n >= 0 {
			return int(n), nil
		}
		if e := syscall.Errno(-n); e != unix.EINTR && e != unix.EAGAIN {
			return 0, &Error{"read", true, e}
		}
	}
}
