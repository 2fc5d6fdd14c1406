package content

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
)

// fill calls read until b is full or read returns 0, at the end of the file.
func (j *job) fill(b []byte, off int64, read func(b []byte, off int64) (int, error)) (n int, err error) {
	for n < len(b) {
		if err := j.ctx.Err(); err != nil {
			return n, fault.Source("read", err)
		}
		m, err := read(b[n:], off+int64(n))
		if err != nil || m == 0 {
			return n, err
		}
		n += m
	}
	return n, nil
}

// read makes one read of the source at off; 0 means its end. Cached bytes take one system call; for
// other bytes the goroutine waits in the Scheduler.
func (j *job) read(b []byte, off int64) (n int, err error) {
	j.found = at.CacheUnknown
	if err := j.fault("read"); err != nil {
		return 0, fault.Source("read", err)
	}
	if j.stream {
		return j.readStream(b)
	}
	if n, j.found = j.readCached(b, off); j.found == at.CacheHit {
		return n, nil
	}
	n, err = j.readUncached(b, off)
	if err == syscall.ESPIPE { // the file has no offsets
		j.stream = true
		return j.readStream(b)
	}
	return n, fault.Source("read", err)
}

// readCached makes one read of the source that cannot wait. Unless the answer is CacheHit, the
// caller must read again. An empty read is a hit only at the file's expected end: not every file
// system reports the end to this call.
func (j *job) readCached(b []byte, off int64) (int, at.Cached) {
	if !j.pair.cached.mayWork() {
		return 0, at.CacheUnknown
	}
	switch n := sys.ReadCached(j.src.FD, b, off); {
	case n > 0:
		j.pair.cached.worked()
		return int(n), at.CacheHit
	case n == 0 && off == j.src.Size:
		return 0, at.CacheHit
	case n == -int32(syscall.EAGAIN):
		return 0, at.CacheMiss
	case n == -int32(syscall.EOPNOTSUPP), n == -int32(syscall.ENOSYS):
		j.pair.cached.refused()
	}
	return 0, at.CacheUnknown
}

// readUncached makes one read of the source that may wait for a disk.
func (j *job) readUncached(b []byte, off int64) (int, error) {
	s := j.c.cfg.Scheduler
	if s == nil {
		return pread(j.src.FD, b, off)
	}
	if j.queued == nil {
		j.queued = iopath.NewFile(j.src.FD, false, false)
		j.queued.Use() // without Done: the caller closes the descriptor after Copy
	}
	// The read gets no context: reads with a context are handed to another goroutine, and still end
	// no sooner.
	return s.ReadOnce(context.Background(), j.queued, b, off)
}

// readBack makes one read of the destination.
func (j *job) readBack(b []byte, off int64) (int, error) {
	n, err := pread(j.dst.FD, b, off)
	return n, fault.Dest("read", err)
}

// pread is pread(2), repeated after a signal.
func pread(fd int, b []byte, off int64) (int, error) {
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

// direction is the direction of a stream: it is read or written.
type direction uint8

const (
	input direction = iota
	output
)

// readStream reads the next bytes of a source without offsets.
func (j *job) readStream(b []byte) (int, error) {
	for {
		if err := j.await(j.src.FD, input); err != nil {
			return 0, fault.Source("read", err)
		}
		n := sys.Read(j.src.FD, b)
		if n >= 0 {
			return int(n), nil
		}
		if e := syscall.Errno(-n); e != syscall.EINTR && e != syscall.EAGAIN {
			return 0, fault.Source("read", e)
		}
	}
}
