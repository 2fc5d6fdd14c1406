package main

import (
	"context"

	"github.com/sluiceio/sluice/cmd/sluice/internal/builds"
	"github.com/sluiceio/sluice/cmd/sluice/internal/crowd"
	"github.com/sluiceio/sluice/cmd/sluice/internal/duel"
	"github.com/sluiceio/sluice/cmd/sluice/internal/load"
	"github.com/sluiceio/sluice/cmd/sluice/internal/slowdisk"
)

// slowDisk is a slow disk, and the programs that read it.
type slowDisk struct {
	*slowdisk.Disk
	self crowd.Program
	// others are those of ways that have one of their own.
	others map[load.Way]duel.Program
}

// Crowd has a process read the disk's file, of which nothing is in memory.
func (d *slowDisk) Crowd(ctx context.Context, side load.Side, goroutines int, direct bool) (crowd.Outcome, error) {
	if err := d.Cool(); err != nil {
		return crowd.Outcome{}, err
	}
	job := crowd.Job{Path: d.Path(), Side: side, Direct: direct, Goroutines: goroutines}
	program := d.self
	if p, ok := d.others[side.Way]; ok {
		program = crowd.Program{Exe: p.Exe, Argv: []string{p.Exe, "crowd"}, Env: p.Env}
	}
	return crowd.Run(ctx, program, job, d.Add)
}

// Programs has a program built by go build and by sluice build. From then on they
// are the workers of these ways. The function that it returns removes them.
func (a *arena) Programs(ctx context.Context, driver string) (remove func() error, err error) {
	p, err := builds.Make(ctx, a.trees.Dir, a.Exe, a.Argv[0])
	if err != nil {
		return nil, err
	}
	env := []string{"SLUICE_DRIVER=" + driver, "SLUICE_TRACE=", "SLUICE_STATS="}
	a.Arena.Programs = map[load.Way]duel.Program{
		load.ByGoBuild:     {Exe: p.Plain, Env: env},
		load.BySluiceBuild: {Exe: p.Sluice, Env: env},
	}
	return p.Close, nil
}
