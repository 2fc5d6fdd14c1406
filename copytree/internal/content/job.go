package content

import (
	"context"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/sched"
)

// job is one copy.
type job struct {
	c        *Copier
	ctx      context.Context
	dst, src File
	pair     *pair
	queued   *sched.File // src in the Scheduler, after a read had to wait
	stream   bool        // src can only be read from front to back
	inOrder  bool        // dst is no stream, but can only be written from front to back
	length   int64       // of dst
	found    at.Cached   // the cache's answer to the last read of src
	result   Result

	allocated int64 // dst may have blocks up to this offset
}

// copy copies in the first possible way.
func (j *job) copy() error {
	if (j.dst.Kind != Regular || j.src.Kind != Regular) && j.c.cfg.Reflink != option.ReflinkAlways {
		j.stream = j.src.Kind == Stream
		j.takesLong()
		return j.copyStream()
	}
	if cloned, err := j.clone(); cloned || err != nil {
		return err
	}
	j.takesLong()
	if j.keepsHoles() {
		if copied, err := j.copySegments(); copied || err != nil {
			return err
		}
	}
	if j.src.Size <= SmallFile && j.src.Size < int64(j.c.smallSize) {
		return j.copySmall()
	}
	j.allocate()
	return j.copyFrom(0)
}

func (j *job) takesLong() {
	if j.dst.Long != nil {
		j.dst.Long()
	}
}

// keepsHoles reports whether the destination gets the source's holes.
func (j *job) keepsHoles() bool {
	return j.src.Blocks < (j.src.Size+511)/512 && j.c.cfg.Sparse != option.SparseNever
}

// copySmall copies a file with one read and one write, if the read gets all of it.
func (j *job) copySmall() error {
	small := j.c.small.Get().(*[]byte)
	defer j.c.small.Put(small)
	b := *small
	n, err := j.read(b, 0)
	j.result.Found = j.found
	if err == nil {
		err = j.write(b[:n], 0)
	}
	switch {
	case err != nil:
		return err
	case int64(n) == j.src.Size:
		return j.finish(j.src.Size)
	}
	return j.copyFrom(int64(n))
}

// copyFrom copies the source from an offset to its end. Holes become zeros, except with
// option.SparseAlways.
func (j *job) copyFrom(from int64) error {
	if from < j.src.Size {
		end, err := j.copyRange(from, j.src.Size)
		if err != nil {
			return err
		}
		if end < j.src.Size {
			return j.finish(end) // the source shrank, or its size is wrong, as in /sys
		}
		from = end
	}
	return j.copyGrowth(from)
}

// rangePart is the number of bytes after which copyRange chooses its way again, and checks the
// context.
const rangePart = 16 << 20 // 16 MiB

// copyRange copies the bytes between two offsets. It returns the offset where it ended, before to
// only at the end of the source.
func (j *job) copyRange(from, to int64) (end int64, err error) {
	for from < to {
		part := min(to, from+max(rangePart, int64(j.c.blocks.size)))
		switch {
		case j.mayCopyFileRange():
			end, err = j.copyFileRange(from, part)
		case j.maySplice():
			end, err = j.splice(from, part)
		default:
			end, err = j.readWrite(from, part)
		}
		if err != nil || end < part {
			return end, err
		}
		from = end
	}
	return from, nil
}

// maxSpliced is the largest file that is spliced. With splice(2) and a pipe of 256 KiB the page
// cache allocates memory in pieces of 256 KiB; copy_file_range(2) allocates 64 KiB. Large pieces
// are faster from recently used memory. But a virtual machine gives free memory back to the host in
// large pieces, and getting it again costs more than the copy. There a file of 2 GiB took three
// times the processor time.
const maxSpliced = 1 << 30 // 1 GiB

// mayCopyFileRange reports whether to copy a part of the file by copy_file_range(2). It is used if
// a server may do the copy, and for files over maxSpliced, unless an option excludes it. The call
// may share data, holes included.
func (j *job) mayCopyFileRange() bool {
	cfg := &j.c.cfg
	if cfg.Sparse != option.SparseAuto || cfg.Reflink != option.ReflinkAuto || !j.pair.ranges.mayWork() {
		return false
	}
	return j.pair.remote || j.src.Size > maxSpliced && cfg.BlockSize == 0
}

// readWrite is copyRange that reads and writes in turn.
func (j *job) readWrite(from, to int64) (end int64, err error) {
	b, err := j.buffer()
	if err != nil {
		return from, err
	}
	defer j.c.blocks.put(b)
	for from < to {
		want := min(int64(len(b)), to-from)
		n, err := j.fill(b[:want], from, j.read)
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

// copyStream copies a file that can only be read or written from front to back.
func (j *job) copyStream() error {
	b, err := j.buffer()
	if err != nil {
		return err
	}
	defer j.c.blocks.put(b)
	return j.copyToEnd(b, 0)
}

// copyToEnd copies from off on through b, until a read returns nothing. It is for streams, and for
// files whose size is wrong. It writes each piece as it comes.
func (j *job) copyToEnd(b []byte, off int64) error {
	for {
		if err := j.ctx.Err(); err != nil {
			return fault.Source("read", err)
		}
		n, err := j.read(b, off)
		if err != nil {
			return err
		}
		if n == 0 {
			return j.finish(off)
		}
		if err := j.write(b[:n], off); err != nil {
			return err
		}
		off += int64(n)
	}
}

// copyGrowth ends the copy of a source after its first from bytes, which are File.Size bytes or
// more. If the source has grown, the new size is final: otherwise the copy of a file that grows as
// fast would never end.
func (j *job) copyGrowth(from int64) error {
	small := j.c.small.Get().(*[]byte)
	defer j.c.small.Put(small)
	b := *small
	n, err := j.read(b, from)
	if err == nil {
		err = j.write(b[:n], from)
	}
	if err != nil {
		return err
	}
	from += int64(n)
	if from == j.src.Size {
		return j.finish(from)
	}
	now, err := size(j.src.FD)
	switch {
	case err != nil:
		return fault.Source("fstat", err)
	case now <= j.src.Size: // longer than its size, like files of /proc
		return j.copyToEnd(b, from)
	case now > from:
		from, err = j.copyRange(from, now)
		if err != nil {
			return err
		}
	}
	return j.finish(from)
}

// buffer waits for a buffer for a block.
func (j *job) buffer() ([]byte, error) {
	b, err := j.c.blocks.get(j.ctx)
	return b, fault.Source("read", err)
}

// finish makes the destination end bytes long.
func (j *job) finish(end int64) error {
	j.result.Holes = end - j.result.Bytes
	if j.length == end {
		return nil
	}
	return j.setLength(end)
}

// setLength makes the destination n bytes long.
func (j *job) setLength(n int64) error {
	err := j.fault("ftruncate")
	if err == nil {
		err = truncate(j.dst.FD, n)
	}
	if err == nil {
		j.length = n
	}
	return fault.Dest("ftruncate", err)
}

// fault returns the error of Config.Fault for a call.
func (j *job) fault(op string) error {
	if j.c.cfg.Fault == nil {
		return nil
	}
	return j.c.cfg.Fault(op)
}
