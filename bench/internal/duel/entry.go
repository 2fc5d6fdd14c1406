package duel

import (
	"context"
	"os"
	"os/exec"

	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// Entry is one load through one side.
type Entry struct {
	Load load.Load
	Side load.Side
}

func (e Entry) String() string { return e.Load.String() + ": " + e.Side.Name }

// Same returns the entries of one load through several sides.
func Same(l load.Load, sides []load.Side) []Entry {
	entries := make([]Entry, len(sides))
	for i, side := range sides {
		entries[i] = Entry{l, side}
	}
	return entries
}

// contestant performs one entry's slices.
type contestant interface {
	Ask(load.Request) (load.Reply, error)
	Stop() // may be called after an error of Ask, and before any Ask
}

// contestant returns the worker process or the fio runner for a side.
func (a *Arena) contestant(ctx context.Context, side load.Side) (contestant, error) {
	if side.Way.Fio() {
		return fio.New(ctx), nil
	}
	cmd := exec.CommandContext(ctx, a.Exe)
	cmd.Args = a.Argv
	if p, ok := a.Programs[side.Way]; ok {
		cmd = exec.CommandContext(ctx, p.Exe)
		cmd.Env = append(os.Environ(), p.Env...)
	}
	return startWorker(cmd)
}
