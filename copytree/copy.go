package copytree

import (
	"context"
	"errors"

	"github.com/sluiceio/sluice/copytree/internal/engine"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Copy copies src, a file or a tree, to the path dst, never into dst (cp -T). If both are
// directories, they are merged. If src is a symbolic link, the link is copied. Names are bytes and
// need not be UTF-8.
//
// When ctx ends, Copy begins nothing more, and removes incomplete copies. Its error is then ctx's
// cause, joined with the errors of files.
func Copy(ctx context.Context, dst, src string, o Options) (Result, error) {
	if err := o.check(); err != nil {
		return Result{}, err
	}
	r, err := engine.Copy(ctx, o.Scheduler, []option.Pair{{Dst: dst, Src: src}}, o.option())
	return resultOf(r), public(err)
}

// option converts the options for the engine.
func (o *Options) option() option.Options {
	all := option.Options{
		Preserve: option.Preserve(o.Preserve), Require: option.Preserve(o.Require),
		Existing: option.Existing(o.Existing), Reflink: option.Reflink(o.Reflink), Sync: option.Sync(o.Sync),
		Verify: o.Verify, Resume: o.Resume, Concurrency: o.Concurrency,
	}
	if o.OnError != nil {
		all.OnError = func(e *report.Error) { o.OnError((*Error)(e)) }
	}
	if o.OnDone != nil {
		all.OnDone = func(d report.Done) {
			o.OnDone(Done{Dst: d.Dst, Src: d.Src, What: What(d.What), Bytes: d.Bytes, Took: d.Took})
		}
	}
	if o.Progress != nil {
		all.Progress = &o.Progress.counters
	}
	return all
}

// resultOf converts the engine's result.
func resultOf(r report.Result) Result {
	result := Result{
		Files: r.Files, Dirs: r.Dirs, Symlinks: r.Symlinks, Links: r.Links, Specials: r.Specials,
		Skipped: r.Skipped, Failed: r.Failed, Cloned: r.Cloned, Bytes: r.Bytes, Holes: r.Holes,
		Synced: r.Synced, Verified: r.Verified, Took: r.Took,
	}
	for _, e := range r.Errors {
		result.Errors = append(result.Errors, (*Error)(e))
	}
	return result
}

// public converts the engine's error. Errors of files in it become *Error, this package's type.
func public(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, public(one))
		}
		return errors.Join(all...)
	}
	if e, ok := errors.AsType[*report.Error](err); ok {
		return (*Error)(e)
	}
	return err
}
