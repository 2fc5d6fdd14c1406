package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// fillSlice is the time between two reports of Fill.
const fillSlice = 200 * time.Millisecond

// errFill is the error of a worker that makes no progress.
var errFill = errors.New("the worker wrote nothing")

// Fill makes a worker create the database of the entry's load, which is a load.PebbleLoad. It calls
// progress with the completed fraction.
func (a *Arena) Fill(ctx context.Context, e Entry, progress func(float64)) error {
	err := a.fill(ctx, e, progress)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e, err)
	}
	return nil
}

func (a *Arena) fill(ctx context.Context, e Entry, progress func(float64)) error {
	w, err := startWorker(a.command(ctx, e), nil)
	if err != nil {
		return err
	}
	defer w.stop()
	if _, err := w.ask(load.Request{Setup: &load.Setup{Path: a.Path, Side: e.Side, Load: e.Load}}); err != nil {
		return err
	}
	for done := 0.0; done < float64(e.Load.Records); {
		reply, err := w.ask(load.Request{Slice: &load.SliceReq{Time: fillSlice}})
		if err != nil {
			return err
		}
		if reply.Slice == nil || reply.Slice.Ops <= done {
			return errFill
		}
		done = reply.Slice.Ops
		progress(done / float64(e.Load.Records))
	}
	return nil
}
