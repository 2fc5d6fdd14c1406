package duel

import (
	"context"
	"os"
	"os/exec"
	"strconv"

	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
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

// contestant performs one entry's slices. Its methods are not called concurrently.
type contestant interface {
	// Setup is called first, and once.
	Setup(load.Setup) (load.Reply, error)
	// Slice also returns the most threads of the slice's process; 0 if unknown.
	Slice(load.SliceReq) (reply load.Reply, threads int, err error)
	Stop() // may be called after an error, and before any slice
}

// contestant returns the contestant for an entry: worker processes, or fio.
func (a *Arena) contestant(ctx context.Context, e Entry) contestant {
	if e.Side.Way.Fio() {
		return fioSide{fio.New(ctx)}
	}
	if e.Load.Kind == load.Start {
		return &starter{ctx: ctx, exe: a.Starters[e.Side.Way], missing: a.NoStarters, env: a.environ(e)}
	}
	return &workers{start: func() (*worker, error) { return startWorker(a.command(ctx, e), a.Group) }}
}

// command returns the command of an entry's worker.
func (a *Arena) command(ctx context.Context, e Entry) *exec.Cmd {
	cmd := program.Command(ctx, a.Exe)
	cmd.Args = a.Argv
	if p, ok := a.Programs[e.Side.Way]; ok {
		cmd = program.Command(ctx, p.Exe)
	}
	cmd.Env = a.environ(e)
	return cmd
}

// environ returns the environment of an entry's processes.
func (a *Arena) environ(e Entry) []string {
	env := append(os.Environ(), a.Programs[e.Side.Way].Env...)
	if e.Load.Procs > 0 {
		env = append(env, "GOMAXPROCS="+strconv.Itoa(e.Load.Procs))
	}
	return env
}

// fioSide is fio, which starts a process for each slice.
type fioSide struct{ *fio.Runner }

// Setup prepares fio.
func (f fioSide) Setup(s load.Setup) (load.Reply, error) { return f.Ask(load.Request{Setup: &s}) }

// Slice runs fio. It does not count threads.
func (f fioSide) Slice(s load.SliceReq) (load.Reply, int, error) {
	reply, err := f.Ask(load.Request{Slice: &s})
	return reply, 0, err
}
