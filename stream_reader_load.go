package sluice

import (
	"io"
	"math"
	"os"

	"github.com/sluiceio/sluice/internal/readahead"
)

// load sees to it that rest has bytes. The error is io.EOF where there are
// none.
func (r *Reader) load() error {
	if r.closed {
		return os.ErrClosed
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if core := r.file.file.core; core != nil {
		if !core.Use() {
			return os.ErrClosed
		}
		defer core.Done()
	}
	if err := r.find(); err != nil || len(r.rest) > 0 {
		return err
	}
	// The file ends here, as far as is known. It may have grown.
	if err := r.measure(); err != nil {
		return err
	}
	if err := r.find(); err != nil || len(r.rest) > 0 {
		return err
	}
	r.restart(r.known)
	r.q.release()
	return io.EOF
}

// find waits for the fetch that pos is in, and leaves rest empty if there is
// none or the file has ended before.
func (r *Reader) find() error {
	r.move()
	if r.q.count == 0 && r.window.Due() {
		if err := r.q.memory.await(r.ctx); err != nil {
			return err
		}
		r.ahead()
	}
	f := r.q.oldest()
	if f == nil {
		return nil
	}
	r.q.wait(r.ctx, f)
	if r.rest = f.bytes(r.pos); len(r.rest) == 0 && f.err != nil {
		err := f.err
		r.restart(r.known) // the next call reads again
		return err
	}
	return nil
}

// move drops the fetches before pos, or all if it is in none, and starts what
// is due then.
func (r *Reader) move() {
	r.q.drop(r.window.MoveTo(r.pos))
	r.ahead()
}

// ahead starts the fetches that are due, as far as there is memory for them.
func (r *Reader) ahead() {
	for r.window.Due() && r.q.memory.provide() {
		span, _ := r.window.Fetch()
		r.q.push(span)
	}
}

// measure asks where the file ends now, and drops all fetches.
func (r *Reader) measure() error {
	size, err := sizeOf(r.file.file.file)
	if err != nil {
		return err
	}
	r.known = min(size, r.end)
	end := r.known
	if r.file.direct == nil && r.pos >= size && r.pos <= math.MaxInt64-2*int64(r.q.memory.size) {
		// Not all files tell their size (/proc): a read does.
		end = min(r.pos+int64(r.q.memory.size), r.end)
	}
	r.restart(end)
	return nil
}

// restart drops all fetches. The next one begins at pos, and none goes beyond
// end.
func (r *Reader) restart(end int64) {
	r.q.drop(r.q.count)
	r.window.Restart(readahead.Span{Start: r.pos, End: end})
}

// consumed starts what is due when pos has come to the end of a fetch, unless
// the file is closing.
func (r *Reader) consumed() {
	core := r.file.file.core
	if r.q.later || !core.Use() {
		return
	}
	r.move()
	core.Done()
}
