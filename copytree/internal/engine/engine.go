// Package engine copies trees with all options. Package copytree is its API for programs, and
// package gnucp its command line:
//
//	pairs := []option.Pair{{Dst: "backup", Src: "photos"}}
//	result, err := engine.Copy(ctx, nil, pairs, option.Options{})
//
// It checks the options and holds the Scheduler. Package walk does the rest.
//
// # Concurrency
//
// Several goroutines may call Copy at once, for trees that do not overlap.
package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/durable"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
	"github.com/sluiceio/sluice/copytree/internal/walk"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
)

// hasFileSystems is a variable so that a test can change it.
var hasFileSystems = durable.HasFileSystems

// errGoexit is the error of a copy that lost a goroutine.
var errGoexit = errors.New("copytree: a function of the Options has ended its goroutine by runtime.Goexit (let it return; to stop the copy, cancel the context)")

// Copy copies all pairs, one after the other, as one copy. Hard links stay, also between files of
// several pairs (PreserveLinks). A later pair may overwrite a file in a directory of an earlier
// pair, but not an earlier pair's Dst (fault.ErrTwice).
//
// Scheduler s performs the fsyncs, and reads that have to wait; nil is sluice.Default. The error
// joins ctx's cause and the errors of files, or is the error of a wrong option.
func Copy(ctx context.Context, s *sluice.Scheduler, pairs []option.Pair, o option.Options) (report.Result, error) {
	if ctx == nil {
		return report.Result{}, fmt.Errorf("copytree: %w", handle.ErrNilContext)
	}
	if err := o.Check(hasFileSystems); err != nil {
		return report.Result{}, err
	}
	if s == nil {
		var err error
		if s, err = sluice.Default(); err != nil {
			return report.Result{}, err
		}
	}
	h := inside.Scheduler(s)
	if err := h.Acquire(); err != nil {
		return report.Result{}, err
	}
	defer h.Release()
	w := walk.New(ctx, walk.System{Kernel: at.New(), Scheduler: h.Core, NewDriver: h.NewDriver}, o)
	defer w.Close()
	r, whole := w.Copy(pairs)
	err := joined(ctx, r.Errors)
	if !whole {
		err = errors.Join(errGoexit, err)
	}
	return r, err
}

// joined returns Copy's error.
func joined(ctx context.Context, errs []*report.Error) error {
	var all []error
	if ctx.Err() != nil {
		all = append(all, context.Cause(ctx))
	}
	for _, e := range errs {
		all = append(all, e)
	}
	return errors.Join(all...)
}
