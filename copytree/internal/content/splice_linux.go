package content

import (
	"golang.org/x/sys/unix"
)

// splices tells whether splice(2) may copy a part of the file: where nothing is
// asked that it does not heed, and no server could do it without the data coming
// here.
func (j *job) splices() bool {
	cfg := &j.c.cfg
	return cfg.Sparse == SparseAuto && cfg.BlockSize == 0 && j.pair.splices.worth() && !j.pair.remote
}

// splice is span by splice(2): from the page cache of one file into that of the
// other, through a pipe. What that fails to do is read and written, also to find
// out which of the two files is to blame; and what it does not see, in files that
// do not tell their size.
func (j *job) splice(from, to int64) (end int64, err error) {
	p, ok := j.c.pipes.get()
	if !ok {
		return j.spanHere(from, to)
	}
	for from < to {
		if err := j.ctx.Err(); err != nil {
			j.c.pipes.put(p)
			return from, &Error{"splice", true, err}
		}
		n := spliceRetry(j.src.FD, &from, p.in, nil, int(min(to-from, pipeSize)))
		if n <= 0 {
			j.pair.splices.refused()
			j.c.pipes.put(p)
			return j.spanHere(from, to)
		}
		if left := j.drain(p, from-int64(n), n); left > 0 {
			j.pair.splices.refused()
			p.close() // it has what nobody wants
			return j.spanHere(from-int64(left), to)
		}
		j.pair.splices.granted()
	}
	j.c.pipes.put(p)
	return from, nil
}

// drain writes n bytes that are in a pipe at off, and returns how many it could
// not.
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

// spliceRetry is splice(2), repeated when a signal has interrupted it. It moves
// the offsets on. What it could not do it says by 0 or less.
func spliceRetry(in int, inOff *int64, out int, outOff *int64, n int) int {
	for {
		moved, err := unix.Splice(in, inOff, out, outOff, n, 0)
		if err != unix.EINTR {
			return int(moved)
		}
	}
}
