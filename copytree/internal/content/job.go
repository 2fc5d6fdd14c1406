package content

import (
	"context"
	"io"
	"syscall"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// job is one copy.
type job struct {
	c        *Copier
	ctx      context.Context
	dst, src File
	pair     *pair
	waits    *sched.File // of src, once a read has had to wait
	stream   bool        // src can only be read from front to back
	high     int64       // the destination's length
	result   Result

	allocated int64 // up to where the destination may have blocks, whatever its length
}

// copySmall copies a file with one read and one write, if it is as long as it
// should be and the read returns all of it.
func (j *job) copySmall() error {
	b, err := j.c.small.get(j.ctx)
	if err != nil {
		return &Error{"read", true, err}
	}
	defer j.c.small.put(b)
	// There is room for one byte more than the file should have, or more, so
	// that it costs nothing to see that it has grown.
	n, err := j.read(b, 0)
	if err == nil {
		err = j.write(b[:n], 0)
	}
	switch {
	case err != nil:
		return err
	case int64(n) == j.src.Size:
		return j.finish(j.src.Size)
	}
	return j.copyAll(int64(n))
}

// copyAll copies what the file has from an offset on, holes as zeros unless
// Sparse makes them anew.
func (j *job) copyAll(from int64) error {
	if from < j.src.Size {
		end, err := j.span(from, j.src.Size)
		if err != nil {
			return err
		}
		if end < j.src.Size {
			return j.finish(end) // it has become shorter, or its size was not true, as in /sys
		}
		from = end
	}
	return j.longer(from)
}

// stretch is after how many bytes of a file it is decided again how the next
// ones are copied, and noticed that the context has ended.
const stretch = 16 << 20 // 16 MiB

// span copies what is between two offsets, and returns where it ended: before
// to only if the source ends there.
func (j *job) span(from, to int64) (end int64, err error) {
	for from < to {
		part := min(to, from+max(stretch, int64(j.c.blocks.size)))
		switch {
		case j.remotely():
			end, err = j.copyRange(from, part)
		case j.splices():
			end, err = j.splice(from, part)
		default:
			end, err = j.spanHere(from, part)
		}
		if err != nil || end < part {
			return end, err
		}
		from = end
	}
	return from, nil
}

// remotely tells whether copy_file_range(2) copies a part of the file: where the
// data need not come here, and nothing is asked that it does not heed. It shares
// data where that can be done, holes included.
func (j *job) remotely() bool {
	cfg := &j.c.cfg
	return cfg.Sparse == SparseAuto && cfg.Reflink == ReflinkAuto && j.pair.remote && j.pair.ranges.worth()
}

// spanHere is span by reading and writing in turn.
func (j *job) spanHere(from, to int64) (end int64, err error) {
	b, err := j.c.blocks.get(j.ctx)
	if err != nil {
		return from, &Error{"read", true, err}
	}
	defer j.c.blocks.put(b)
	for from < to {
		want := min(int64(len(b)), to-from)
		n, err := j.fill(b[:want], from)
		if err == nil {
			err = j.write(b[:n], from)
		}
		if err != nil {
			return from, err
		}
		from += int64(n)
		if int64(n) < want {
			break
		}
	}
	return from, nil
}

// fill reads until b is full or the file ends.
func (j *job) fill(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		if err := j.ctx.Err(); err != nil {
			return n, &Error{"read", true, err}
		}
		m, err := j.read(b[n:], off+int64(n))
		if err != nil || m == 0 {
			return n, err
		}
		n += m
	}
	return n, nil
}

// write writes b at off, and leaves out zeros where Sparse says so.
func (j *job) write(b []byte, off int64) error {
	if j.c.cfg.Sparse == SparseAlways {
		return j.writeRuns(b, off)
	}
	return j.writeAll(b, off)
}

func (j *job) writeAll(b []byte, off int64) error {
	for len(b) > 0 {
		n, err := j.writeResult(sys.Pwrite(j.dst.FD, b, off), off)
		if err != nil {
			return err
		}
		b, off = b[n:], off+int64(n)
	}
	return nil
}

// writeResult takes what a write at off has returned, counts the bytes, and returns
// how many they are: none if it was interrupted.
func (j *job) writeResult(n int32, off int64) (int, error) {
	switch {
	case n == -int32(syscall.EINTR):
		return 0, nil
	case n < 0:
		return 0, &Error{"write", false, syscall.Errno(-n)}
	case n == 0:
		return 0, &Error{"write", false, io.ErrUnexpectedEOF}
	}
	j.wrote(int(n), off+int64(n))
	return int(n), nil
}

// wrote counts n bytes that end at end.
func (j *job) wrote(n int, end int64) {
	j.result.Bytes += int64(n)
	j.high = max(j.high, end)
	if j.c.cfg.Wrote != nil {
		j.c.cfg.Wrote(int64(n))
	}
}

// finish gives the destination its length, end.
func (j *job) finish(end int64) error {
	j.result.Holes = end - j.result.Bytes
	if j.high == end {
		return nil
	}
	if err := truncate(j.dst.FD, end); err != nil {
		return &Error{"ftruncate", false, err}
	}
	j.high = end
	return nil
}
