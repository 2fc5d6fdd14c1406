package sluice

import (
	"io"
	"os"
)

// copyChunk is how much of a file is copied in one go: little enough that the
// place among the blocking calls is soon another's.
const copyChunk = 16 << 20 // 16 MiB

// fileIn returns the File that r reads from, with its limit if it has one, or
// nil if the kernel cannot copy from it to f by itself.
func (f *File) fileIn(r io.Reader) (src *File, limit *io.LimitedReader) {
	if l, ok := r.(*io.LimitedReader); ok {
		limit, r = l, l.R
	}
	src, _ = r.(*File)
	if src == nil || src.core == nil || f.core.Appends() {
		return nil, nil // as os: copy_file_range(2) refuses O_APPEND
	}
	return src, limit
}

// copyFrom copies src, up to limit if that is not nil, as os does: by
// copy_file_range(2), which shares the blocks where the file system can.
func (f *File) copyFrom(src *File, limit *io.LimitedReader) (n int64, err error) {
	if limit != nil && limit.N <= 0 {
		return 0, nil
	}
	if !f.core.Use() {
		return 0, f.error("write", os.ErrClosed)
	}
	defer f.core.Done()
	if !src.core.Use() {
		return 0, f.error("write", os.ErrClosed)
	}
	defer src.core.Done()
	for {
		chunk := &io.LimitedReader{R: src.file, N: copyChunk}
		if limit != nil {
			chunk.N = min(chunk.N, limit.N)
		}
		asked := chunk.N
		m, err := f.copyOnce(src, chunk)
		n += m
		if limit != nil {
			limit.N -= asked - chunk.N
		}
		if err != nil || m < asked || limit != nil && limit.N == 0 {
			return n, err
		}
	}
}

func (f *File) copyOnce(src *File, chunk io.Reader) (n int64, err error) {
	atPositions(f, src, func() {
		f.sched.core.Block(f.core, func() { n, err = f.file.ReadFrom(chunk) })
	})
	return n, err
}

// atPositions calls do while nobody else uses the position of either File.
// The older one is locked first, so that two copies in opposite directions do
// not wait for each other.
func atPositions(a, b *File, do func()) {
	if a.serial > b.serial {
		a, b = b, a
	}
	if a.serial == b.serial { // or views of one
		a.core.Position(do)
		return
	}
	a.core.Position(func() { b.core.Position(do) })
}
