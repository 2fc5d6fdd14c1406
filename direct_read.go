package sluice

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/sched"
)

// ReadAt reads len(b) bytes starting at byte offset off and returns how many
// it has read. It always returns a non-nil error when n < len(b); at the end
// of the file that is io.EOF. The rest of b may then have been written to.
func (d *DirectFile) ReadAt(b []byte, off int64) (n int, err error) {
	if d == nil || d.direct == nil || off < 0 || len(b) == 0 || !d.direct.readable {
		return d.buffered().ReadAt(b, off)
	}
	return d.readAt(context.Background(), b, off)
}

// ReadAtContext is ReadAt for as long as ctx has not ended; see
// File.ReadAtContext.
func (d *DirectFile) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if d == nil || d.direct == nil || off < 0 || len(b) == 0 || !d.direct.readable {
		return d.buffered().ReadAtContext(ctx, b, off)
	}
	if err := ctx.Err(); err != nil {
		return 0, d.file.error("read", err)
	}
	return d.readAt(ctx, b, off)
}

func (d *DirectFile) readAt(ctx context.Context, b []byte, off int64) (n int, err error) {
	if !d.file.core.Use() {
		return 0, d.file.error("read", os.ErrClosed)
	}
	n, err = d.direct.readAt(ctx, b, off)
	d.file.core.Done()
	if err != nil {
		return n, d.file.error("read", err)
	}
	return n, nil
}

// direct is what a DirectFile transfers with. Who calls its methods uses the
// file (sched.File.Use).
type direct struct {
	geometry
	sched   *sched.Scheduler
	bounces *buffer.Pool // the Scheduler's
	inode   *inode

	file *os.File    // with O_DIRECT
	core *sched.File // its

	// The same file without O_DIRECT; nil if it is only read.
	tailFile *os.File
	tail     *sched.File

	readable bool
	// apart: the file system may keep what was written by descriptor, so that
	// each needs an fsync.
	apart bool
}

func (d *direct) readAt(ctx context.Context, b []byte, off int64) (n int, err error) {
	if err := d.beyond(b, off); err != nil {
		return 0, err
	}
	for n < len(b) && err == nil {
		var m int
		m, err = d.readPiece(ctx, b[n:], off+int64(n))
		n += m
	}
	return n, err
}

// beyond is the error of a read that no file reaches, of which a block's end
// cannot be told.
func (d *direct) beyond(b []byte, off int64) error {
	switch {
	case off > math.MaxInt64-int64(len(b)):
		return syscall.EINVAL
	case off > math.MaxInt64-int64(len(b))-int64(d.block):
		return io.EOF
	}
	return nil
}

func (d *direct) readPiece(ctx context.Context, b []byte, off int64) (int, error) {
	n, straight := d.piece(b, off)
	if !straight {
		return d.readBounced(ctx, b[:n], off)
	}
	m, err := d.readBlocks(ctx, b[:n], off)
	if m < n && err == nil {
		err = io.EOF
	}
	return m, err
}

func (d *direct) readBounced(ctx context.Context, b []byte, off int64) (int, error) {
	behind := d.behind(off)
	size := int(d.ceil(int64(behind + len(b))))
	buf, err := d.borrow(ctx, size)
	if err != nil {
		return 0, err
	}
	defer buf.Release()
	m, err := d.readBlocks(ctx, buf.Bytes(), off-int64(behind))
	n := copy(b, buf.Bytes()[min(behind, m):m])
	switch {
	case n == len(b):
		return n, nil // what comes behind is not asked for
	case err == nil:
		err = io.EOF
	}
	return n, err
}

// readBlocks reads whole blocks into aligned memory. It returns less without
// an error where the file ends.
func (d *direct) readBlocks(ctx context.Context, b []byte, off int64) (n int, err error) {
	end := 0 // where the kernel has stopped within a block
	for n < len(b) {
		m, err := d.readOnce(ctx, b[n:], off+int64(n))
		if err != nil {
			return n, err
		}
		n += m
		switch {
		case n == len(b):
			return n, nil
		case m == 0, n == end:
			return max(n, end), nil
		case d.behind(int64(n)) == 0:
			continue
		}
		// Within a block there is the end of the file, if it has not grown.
		size, err := sizeOf(d.file)
		if err != nil || off+int64(n) >= size {
			return n, err
		}
		end, n = n, int(d.floor(int64(n)))
	}
	return n, nil
}

// readOnce makes one direct transfer. xfs fails one that goes beyond the end
// of the file with EIO where it has reserved room for buffered writes to come,
// as it does after one; it is repeated up to the end.
func (d *direct) readOnce(ctx context.Context, b []byte, off int64) (int, error) {
	n, err := d.sched.ReadOnce(ctx, d.core, b, off)
	if !errors.Is(err, syscall.EIO) {
		return n, err
	}
	size, err1 := sizeOf(d.file)
	switch end := d.ceil(size) - off; {
	case err1 != nil || end >= int64(len(b)):
		return n, err
	case end > 0:
		return d.sched.ReadOnce(ctx, d.core, b[:end], off)
	}
	return 0, nil
}

// unsure tells whether a direct read that has failed is to be made again by
// readBlocks: the file ended within a block, and grew before that was certain;
// or it is xfs (readOnce).
func unsure(err error) bool {
	return errors.Is(err, errUnfit) || errors.Is(err, syscall.EIO)
}
