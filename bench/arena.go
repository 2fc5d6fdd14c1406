package bench

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/blockdev"
	"github.com/sluiceio/sluice/bench/internal/builds"
	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/crowd"
	"github.com/sluiceio/sluice/bench/internal/database"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/slowdisk"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/bench/scratch"
)

// arena is the experiments.Lab of the command.
type arena struct {
	duel.Arena
	device string      // for raw writes; "" means a loop device over the file
	trees  copies.Spec // the place of trees; each call of Trees adds the shape
}

// newArena returns an arena without a file. Its workers are processes of this program.
func newArena() (*arena, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program to start it again: %w", err)
	}
	return &arena{Arena: duel.Arena{Exe: exe, Argv: []string{os.Args[0], "worker"}}}, nil
}

// Trees opens a place with a tree to copy.
func (a *arena) Trees(ctx context.Context, kind string, shape tree.Shape, progress func(string, float64)) (experiments.Trees, error) {
	spec := a.trees
	spec.Usual, spec.Shape = kind, shape
	return copies.Open(ctx, spec, progress)
}

// Disk opens the device for raw writes.
func (a *arena) Disk() (experiments.Disk, error) {
	return blockdev.Open(a.device, a.Path, experiments.RawWrites)
}

// Slow opens a slow disk.
func (a *arena) Slow(ctx context.Context, size int64, iops int, progress func(float64)) (experiments.SlowDisk, error) {
	d, err := slowdisk.Open(ctx, a.trees.Dir, size, iops, progress)
	if err != nil {
		return nil, err
	}
	return &slowDisk{d, crowd.Program{Exe: a.Exe, Argv: []string{a.Argv[0], "crowd"}}, a.Arena.Programs}, nil
}

// Mixed runs a job of fio.
func (a *arena) Mixed(ctx context.Context, job fio.Mixed) (reads, writes load.Slice, err error) {
	return job.Run(ctx, a.trees.Dir)
}

// Programs builds a program by go build and by sluice build. They become the workers of
// load.ByGoBuild and load.BySluiceBuild. remove removes them.
func (a *arena) Programs(ctx context.Context, driver string) (remove func() error, err error) {
	p, err := builds.Make(ctx, a.trees.Dir, a.Exe, a.Argv[0])
	if err != nil {
		return nil, err
	}
	env := duel.Environment(driver)
	a.Arena.Programs = map[load.Way]duel.Program{
		load.ByGoBuild:     {Exe: p.Plain, Env: env},
		load.BySluiceBuild: {Exe: p.Sluice, Env: env},
	}
	return p.Close, nil
}

// Starters builds the programs of load.Start. Then arena's Compare starts them, or returns the
// reason why there are none. remove removes them.
func (a *arena) Starters(ctx context.Context) (remove func() error, err error) {
	s, err := builds.MakeStarters(ctx, a.trees.Dir)
	if errors.Is(err, builds.ErrNoStarters) {
		a.NoStarters = err.Error()
		return func() error { return nil }, nil
	}
	if err != nil {
		return nil, err
	}
	a.Arena.Starters = map[load.Way]string{load.ByOS: s.OS, load.BySluice: s.Sluice}
	return s.Close, nil
}

// sharedMemory is Linux's directory on tmpfs.
const sharedMemory = "/dev/shm"

// Tmpfs makes a file in /dev/shm.
func (a *arena) Tmpfs(ctx context.Context, size int64, progress func(float64)) (experiments.Tmpfs, error) {
	if !machine.Describe(sharedMemory).InMemory() {
		return nil, errors.New("there is no tmpfs in " + sharedMemory)
	}
	file, err := scratch.Create(ctx, sharedMemory, size, progress)
	if errors.Is(err, scratch.ErrSpace) {
		err = fmt.Errorf("%w (docker run --shm-size=1g gives a container more)", err)
	}
	if err != nil {
		return nil, err
	}
	on := a.Arena
	on.Path = file.Path()
	return &tmpfsFile{on, file}, nil
}

// tmpfsFile is an arena whose file is on tmpfs.
type tmpfsFile struct {
	duel.Arena
	file *scratch.File
}

// Close removes the file.
func (t *tmpfsFile) Close() error { return t.file.Close() }

// Database makes a Pebble database.
func (a *arena) Database(ctx context.Context, l load.Load, memory int64, driver string, progress func(string, float64)) (experiments.Database, error) {
	return database.Open(ctx, database.Spec{Dir: a.trees.Dir, Exe: a.Exe, Name: a.Argv[0], Driver: driver, Load: l, Memory: memory}, progress)
}

// slowDisk is a slow disk with the programs that read it.
type slowDisk struct {
	*slowdisk.Disk
	self crowd.Program
	// others has the programs of ways that do not use self.
	others map[load.Way]duel.Program
}

// Crowd drops the disk's file from memory, and runs a process that reads it.
func (d *slowDisk) Crowd(ctx context.Context, side load.Side, goroutines int, direct bool) (crowd.Outcome, error) {
	if err := d.DropCache(); err != nil {
		return crowd.Outcome{}, err
	}
	job := crowd.Job{Path: d.Path(), Side: side, Direct: direct, Goroutines: goroutines}
	program := d.self
	if p, ok := d.others[side.Way]; ok {
		program = crowd.Program{Exe: p.Exe, Argv: []string{p.Exe, "crowd"}, Env: p.Env}
	}
	return crowd.Run(ctx, program, job, d.Add)
}
