package copytree

import (
	"context"
	"errors"
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// report collects what happened, and tells the callbacks, one at a time.
type report struct {
	onError func(*Error)
	onDone  func(Done)
	live    *Progress // never nil

	mu     sync.Mutex
	result Result // Errors and Failed alone; the counts are added at the end. Under mu
	full   bool   // the destination has no room left, which was told. Under mu
}

// fail tells an error. The first that says that there is no room is told, and
// ends the copy; those after it are not told.
func (r *report) fail(e *Error, full bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if full {
		if r.full {
			return
		}
		r.full = true
	}
	r.result.Failed++
	r.live.Failed.Add(1)
	if len(r.result.Errors) < MaxErrors {
		r.result.Errors = append(r.result.Errors, e)
	}
	if r.onError != nil {
		r.onError(e)
	}
}

// done tells what was done with a file.
func (r *report) done(d Done) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onDone(d)
}

// err is Copy's error.
func (r *report) err(ctx context.Context) error {
	var all []error
	if ctx.Err() != nil {
		all = append(all, context.Cause(ctx))
	}
	for _, e := range r.result.Errors {
		all = append(all, e)
	}
	return errors.Join(all...)
}

// fail tells what went wrong with name in d, and stops the copy if nothing more
// can be copied. What went wrong because the copy has ended is not told.
func (j *job) fail(d *dir, src, dst at.Name, err error) {
	f := faultOf(err)
	if f.canceled() && j.ctx.Err() != nil {
		return
	}
	e := &Error{Op: f.op, Src: d.srcOf(src), Dst: d.dstOf(dst), Err: f.err}
	e.Path = e.Src
	if f.side == destination {
		e.Path = e.Dst
	}
	full := f.full()
	if full {
		j.stop()
	}
	j.report.fail(e, full)
}
