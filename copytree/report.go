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

// fail reports what went wrong with one file. An error that says that there is no
// room ends the copy; only the first of those is reported.
func (r *report) fail(full bool, all ...*Error) {
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
	for _, e := range all {
		if len(r.result.Errors) < MaxErrors {
			r.result.Errors = append(r.result.Errors, e)
		}
		if r.onError != nil {
			r.onError(e)
		}
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
	var all []*Error
	full := false
	for _, f := range faultsOf(err) {
		if f.canceled() && j.ctx.Err() != nil {
			continue
		}
		full = full || f.full()
		all = append(all, f.of(d.srcOf(src), d.dstOf(dst)))
	}
	if full {
		j.stop()
	}
	if len(all) > 0 {
		j.report.fail(full, all...)
	}
}

// of returns what is reported of f, which happened when src was copied to dst.
func (f *fault) of(src, dst string) *Error {
	e := &Error{Op: f.op, Src: src, Dst: dst, Path: src, Err: f.err}
	if f.side == destination {
		e.Path = dst
	}
	return e
}
