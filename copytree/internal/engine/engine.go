// Package engine copies trees with all options that there are. Package copytree is its public face
// for programs, and package gnucp its command line:
//
//	pairs := []option.Pair{{Dst: "backup", Src: "photos"}}
//	result, err := engine.Copy(ctx, nil, pairs, option.Options{})
//
// It checks the options, holds the Scheduler, and has package walk do the rest.
//
// # Concurrency
//
// Copy may be called by several goroutines at once, for trees that do not overlap.
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

// errGoexit is the error of a copy that has lost a goroutine.
var errGoexit = errors.New("copytree: a function of the Options has ended its goroutine by runtime.Goexit (let it return; to stop the copy, cancel the context)")

// Copy copies all pairs, one after the other, as one copy: hard links stay, also between files of
// several pairs (PreserveLinks). A later pair may overwrite a file in a directory that an earlier
// one has made, but not the copy at an earlier pair's Dst (fault.ErrTwice).
//
// The Scheduler s performs the reads that have to wait, and the fsyncs; nil is sluice.Default. The
// error joins ctx's cause and the errors of files, or is the error of a wrong option alone.
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
