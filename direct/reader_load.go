package direct

import (
	"io"
	"math"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/buffer"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/readahead"
)

// load makes sure that rest has bytes, or returns io.EOF at the end.
func (r *Reader) load() error {
	if r.closed {
		return os.ErrClosed
	}
	if err := r.q.Ctx.Err(); err != nil {
		return err
	}
	if core := r.file.h.IO; core != nil && core.Closing() {
		return os.ErrClosed
	}
	if err := r.find(); err != nil || len(r.rest) > 0 {
		return err
	}
	// The file has ended here by the last look, and may have grown.
	if err := r.file.call("read", r.measure); err != nil {
		return err
	}
	if err := r.find(); err != nil || len(r.rest) > 0 {
		return err
	}
	r.restart(r.known)
	r.q.Release()
	// no read has failed, because nothing was read
	if d := r.file.direct; d != nil && !d.Readable() {
		return syscall.EBADF
	}
	return io.EOF
}

// find waits for the read that contains pos. It leaves rest empty if no read does, or if the file
// ends before pos.
func (r *Reader) find() error {
	r.q.Drop(r.window.MoveTo(r.pos))
	b, err := r.memory()
	if err != nil {
		return err
	}
	if core := r.file.h.IO; core != nil {
		if !core.Use() {
			b.Release()
			return os.ErrClosed
		}
		defer core.Done()
	}
	if b.Len() > 0 {
		span, _ := r.window.Fetch()
		r.q.Push(span, b)
	}
	r.ahead()
	r.rest, err = r.await()
	return err
}

// memory returns a Buffer for a read that is due if the stream has no other read. It waits for one
// if need be. In all other cases the Buffer is empty. The caller does not use the file: Close waits
// for calls that use it, and the goroutine that calls Close may hold the memory that this call
// waits for.
func (r *Reader) memory() (buffer.Buffer, error) {
	if r.q.Len() > 0 || !r.window.Due() {
		return buffer.Buffer{}, nil
	}
	return r.q.Memory.Get(r.q.Ctx)
}

// await waits for the oldest read, if there is one, and returns its bytes from pos on. If it has
// none because it failed, await returns its error, and the next call reads again.
func (r *Reader) await() ([]byte, error) {
	f := r.q.Oldest()
	if f == nil {
		return nil, nil
	}
	r.q.Wait(f) // the same system call starts reads that are due
	r.q.Submit()
	have := f.Bytes(r.pos)
	if err := f.Err; len(have) == 0 && err != nil {
		r.restart(r.known)
		return nil, err
	}
	return have, nil
}

// move drops the reads before pos, or all reads if none contains pos, and starts reads that are
// then due. The caller uses the file.
func (r *Reader) move() {
	r.q.Drop(r.window.MoveTo(r.pos))
	r.ahead()
}

// ahead starts the reads that are due, while there is memory. The caller uses the file.
func (r *Reader) ahead() {
	for r.window.Due() {
		b, ok := r.q.Memory.TryGet()
		if !ok {
			return
		}
		span, _ := r.window.Fetch()
		r.q.Push(span, b)
	}
}

// measure asks where the file ends now, and drops all reads. The caller uses the file.
func (r *Reader) measure() error {
	size, err := handle.Size(r.file.h.OS)
	if err != nil {
		return err
	}
	r.known = min(size, r.end)
	end := r.known
	if r.file.direct == nil && r.pos >= size && r.pos <= math.MaxInt64-2*int64(r.q.Memory.Size) {
		// Some files do not report their size (/proc): a read finds their end.
		end = min(r.pos+int64(r.q.Memory.Size), r.end)
	}
	r.restart(end)
	return nil
}

// restart drops all reads. The next read begins at pos, and no read goes beyond end.
func (r *Reader) restart(end int64) {
	r.q.Drop(r.q.Len())
	r.window.Restart(readahead.Span{Start: r.pos, End: end})
}

// consumed starts the reads that are due when pos has reached the end of one, unless the file is
// closing.
func (r *Reader) consumed() {
	core := r.file.h.IO
	if r.q.Later || !core.Use() {
		return
	}
	r.move()
	r.q.Submit()
	core.Done()
}
