package content

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// read makes one read of the source at off. 0 is its end.
func (j *job) read(b []byte, off int64) (int, error) {
	if j.stream {
		return j.readNext(b)
	}
	if j.pair.cached.worth() {
		switch n := sys.ReadCached(j.src.FD, b, off); {
		case n > 0:
			j.pair.cached.granted()
			return int(n), nil
		case n == 0 && off == j.src.Size:
			return 0, nil
		case n == -int32(syscall.EOPNOTSUPP), n == -int32(syscall.ENOSYS):
			j.pair.cached.refused()
		}
	}
	n, err := j.readWaiting(b, off)
	switch err {
	case nil:
		return n, nil
	case syscall.ESPIPE:
		j.stream = true
		return j.readNext(b)
	}
	return 0, &Error{"read", true, err}
}

// readWaiting makes one read that may have to wait for a disk.
func (j *job) readWaiting(b []byte, off int64) (int, error) {
	s := j.c.cfg.Scheduler
	if s == nil {
		return plainRead(j.src.FD, b, off)
	}
	if j.waits == nil {
		j.waits = sched.NewFile(j.src.FD, false, false)
		j.waits.Use() // and never Done: the caller closes the descriptor when Copy has returned
	}
	// Without the copy's context, whose end nobody would notice sooner than that
	// of a read; with one, each read would be handed to another goroutine.
	return s.ReadOnce(context.Background(), j.waits, b, off)
}

func plainRead(fd int, b []byte, off int64) (int, error) {
	for {
		n := sys.Pread(fd, b, off)
		if n >= 0 {
			return int(n), nil
		}
		if e := syscall.Errno(-n); e != syscall.EINTR {
			return 0, e
		}
	}
}
