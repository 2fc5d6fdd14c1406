package directio

import (
	"context"
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/internal/handle"
)

// WriteAt writes b at off. If b is whole blocks, or lies inside the file, it locks only b's blocks.
// It writes the rest with the whole file locked.
func (f *File) WriteAt(ctx context.Context, b []byte, off int64) (n int, err error) {
	if !f.Past(off, len(b)) {
		n, err = f.writeInside(ctx, b, off)
		if n == len(b) || err != nil && !errors.Is(err, ErrMisaligned) {
			return n, err
		}
	}
	m, err := f.writeEnd(ctx, b[n:], off+int64(n))
	return n + m, err
}

// writeInside writes b with its blocks locked, if its partial blocks are inside the file. If they
// are not, it writes nothing. A panic releases the lock, too: a copy from b panics if b cannot be
// touched, and the program may recover.
func (f *File) writeInside(ctx context.Context, b []byte, off int64) (int, error) {
	end := off + int64(len(b))
	r, err := f.inode.lock.Acquire(ctx, f.Floor(off), f.Ceil(end))
	if err != nil {
		return 0, err
	}
	defer f.inode.lock.Release(r)
	inside, err := f.inside(off, end)
	if !inside {
		return 0, err
	}
	return f.writeBlocks(ctx, b, off)
}

// inside reports whether the partial blocks of a write, if any, are in the file and readable.
func (f *File) inside(off, end int64) (bool, error) {
	if f.BlockOffset(off) == 0 && f.BlockOffset(end) == 0 {
		return true, nil
	}
	if !f.readable {
		return false, nil
	}
	size, err := handle.Size(f.file)
	return err == nil && f.within(off, end, size), err
}

// within reports whether the partial blocks of a write lie within size.
func (f *File) within(off, end, size int64) bool {
	last := f.Floor(off) + int64(f.block) // the end of the first block
	if f.BlockOffset(end) != 0 {
		last = f.Ceil(end)
	} else if f.BlockOffset(off) == 0 {
		return true
	}
	return last <= size
}

// ErrMisaligned is the kernel's EINVAL for a direct transfer. A write then goes on through the page
// cache. The kernel returns it where a file system wants more alignment than it has reported, and
// where a limit cuts a write off within a block. It also stands for other failures after which the
// write goes on in the same way.
const ErrMisaligned = syscall.EINVAL

// writeBlocks writes b with direct I/O. Its blocks are locked, and its partial blocks lie within
// the file.
func (f *File) writeBlocks(ctx context.Context, b []byte, off int64) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		at := off + int64(n)
		k, straight := f.piece(b[n:], at)
		if straight {
			m, err = f.sched.WriteAt(ctx, f.core, b[n:n+k], at)
		} else {
			m, err = f.writeBounced(ctx, b[n:n+k], at)
		}
		n += m
	}
	return n, err
}

func (f *File) writeBounced(ctx context.Context, b []byte, off int64) (int, error) {
	blockOffset := f.BlockOffset(off)
	size := int(f.Ceil(int64(blockOffset + len(b))))
	buf, err := f.borrow(ctx, size)
	if err != nil {
		return 0, err
	}
	defer buf.Release()
	mem := buf.Bytes()
	off -= int64(blockOffset)
	if err := f.readEdges(ctx, mem, off, blockOffset > 0, blockOffset+len(b) < size); err != nil {
		return 0, err
	}
	copy(mem[blockOffset:], b)
	n, err := f.sched.WriteAt(ctx, f.core, mem, off)
	return min(max(n-blockOffset, 0), len(b)), err
}

// readEdges reads the partial blocks of mem: the first block if first is set, and the last one if
// last is set. For both it reads all of mem, because one read takes less time than two.
func (f *File) readEdges(ctx context.Context, mem []byte, off int64, first, last bool) error {
	switch tail := len(mem) - f.block; {
	case !first && !last:
		return nil
	case !last: // the blocks after the first may lie beyond the end of the file
		mem = mem[:f.block]
	case !first:
		mem, off = mem[tail:], off+int64(tail)
	}
	return f.readWhole(ctx, mem, off)
}

// readWhole reads blocks that lie within the file. If they do not, another program has truncated
// it, and the error is ErrMisaligned.
func (f *File) readWhole(ctx context.Context, mem []byte, off int64) error {
	n, err := f.ReadBlocks(ctx, mem, off)
	if err == nil && n < len(mem) {
		return ErrMisaligned
	}
	return err
}
