package copytree

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/walk"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
)

// Pair is a source and the path of its copy.
type Pair struct {
	Dst, Src string // the path of the copy, and of the source
	// Alone copies a directory without its entries. If it exists at Dst already,
	// only its attributes are copied (cp --parents). Symbolic links to a directory
	// are followed, in Src and in Dst.
	Alone bool
	// Parents says that the caller makes the directories above Dst before it copies
	// (cp --parents). So they need not exist with Options.DryRun. Otherwise it
	// changes nothing.
	Parents bool
}

// Copy copies src, a file or a tree, to the path dst itself, never into it
// (cp -T). If both are directories, they are merged. Names are bytes; they need not
// be UTF-8.
//
// When ctx ends, nothing more is begun, and copies that are not complete are
// removed. The error is ctx's cause, joined with the errors of files.
func Copy(ctx context.Context, dst, src string, o Options) (Result, error) {
	return CopyAll(ctx, []Pair{{Dst: dst, Src: src}}, o)
}

// CopyAll copies all pairs, one after the other, as one copy: files of several pairs
// that are hard links of each other can stay so (PreserveLinks). Where two pairs
// merge directories, the file of the later pair stays. The copy that a pair has made
// at its Dst is not overwritten by another pair with the same Dst (ErrTwice).
//
// An error that is not of a file, such as a wrong option, is returned alone.
func CopyAll(ctx context.Context, pairs []Pair, o Options) (Result, error) {
	if ctx == nil {
		return Result{}, fmt.Errorf("copytree: %w", handle.ErrNilContext)
	}
	if err := o.check(); err != nil {
		return Result{}, err
	}
	s, err := o.scheduler()
	if err != nil {
		return Result{}, err
	}
	h := inside.Scheduler(s)
	if err := h.Acquire(); err != nil {
		return Result{}, err
	}
	defer h.Release()
	j := walk.New(ctx, o.config(h), at.New())
	defer j.Close()
	all := make([]dirs.Pair, len(pairs))
	for i, p := range pairs {
		all[i] = dirs.Pair(p)
	}
	done := j.Copy(all)
	r := resultOf(done)
	err = joined(ctx, r.Errors)
	if done.Broken {
		err = errors.Join(errGoexit, err)
	}
	return r, err
}

// errGoexit is the error of a copy that has lost a goroutine.
var errGoexit = errors.New("copytree: a function of the Options has ended its goroutine by runtime.Goexit (let it return; to stop the copy, cancel the context)")

// joined returns Copy's error.
func joined(ctx context.Context, errs []*Error) error {
	var all []error
	if ctx.Err() != nil {
		all = append(all, context.Cause(ctx))
	}
	for _, e := range errs {
		all = append(all, e)
	}
	return errors.Join(all...)
}
