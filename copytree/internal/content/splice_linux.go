package content

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// maySplice reports whether to copy a part of the file by splice(2). It is used if no option
// excludes it and no server could copy the data.
func (j *job) maySplice() bool {
	cfg := &j.c.cfg
	return cfg.Sparse == option.SparseAuto && cfg.BlockSize == 0 && j.pair.splices.mayWork() && !j.pair.remote
}

// splice is copyRange by splice(2): from one file's page cache into the other's, through a pipe. If
// the call fails, the rest is read and written, which shows the file at fault. If it copies
// nothing, as for files with a wrong size, the rest is also read and written.
func (j *job) splice(from, to int64) (end int64, err error) {
	p, ok := j.c.pipes.get()
	if !ok {
		return j.readWrite(from, to)
	}
	for from < to {
		if err := j.ctx.Err(); err != nil {
			j.c.pipes.put(p)
			return from, fault.Source("splice", err)
		}
		n := spliceRetry(j.src.FD, &from, p.in, nil, int(min(to-from, pipeSize)))
		if n <= 0 {
			j.pair.splices.refused()
			j.c.pipes.put(p)
			return j.readWrite(from, to)
		}
		if left := j.drain(p, from-int64(n), n); left > 0 {
			j.pair.splices.refused()
			p.close() // it may not be empty
			return j.readWrite(from-int64(left), to)
		}
		j.pair.splices.worked()
	}
	j.c.pipes.put(p)
	return from, nil
}

// drain writes n bytes from a pipe to the destination at off. It returns how many bytes are left in
// the pipe.
func (j *job) drain(p pipe, off int64, n int) (left int) {
	for n > 0 {
		wrote := spliceRetry(p.out, nil, j.dst.FD, &off, n)
		if wrote <= 0 {
			break
		}
		n -= wrote
		j.wrote(wrote, off)
	}
	return n
}

// spliceRetry is splice(2), repeated after a signal. It advances the offsets. A result of 0 or less
// means that nothing was moved.
func spliceRetry(in int, inOff *int64, out int, outOff *int64, n int) int {
	for {
		moved, err := unix.Splice(in, inOff, out, outOff, n, 0)
		if err != unix.EINTR {
			return int(moved)
		}
	}
}
