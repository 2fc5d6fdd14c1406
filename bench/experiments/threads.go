package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/crowd"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// threads is what a Go program comes to whose disk is slow: each goroutine that
// waits in os.File has a thread, and the 10,000th ends the program.
var threads = Experiment{
	Name:    threadsName,
	Summary: "12,000 goroutines on a disk of 500 reads/s: threads, memory",
	Trees:   true, // it needs no file: its disk is its own
	Slow:    true,
	Steps:   func(p Params) int { return 1 + 2*len(p.crowds()) },
	Run:     runThreads,
	Read:    read[ThreadsResult],
}

const threadsName = "threads"

// What is to be reached: at most so many threads over GOMAXPROCS, and so much
// memory over the goroutines' own stacks and buffers.
const (
	ThreadsOver = 8
	MemoryOver  = 64 << 20 // 64 MiB
)

// mostGoroutines is more than a Go program can have threads.
const mostGoroutines = 12_000

// MostGoroutines is the most that a user may ask for.
const MostGoroutines = 100_000

// slowIOPS is what the disk does.
const slowIOPS = 500

// crowdSize is one row: so many goroutines, and how they read.
type crowdSize struct {
	goroutines int
	direct     bool
}

// crowds returns the rows. What is read through the page cache as well is of
// --full: it takes as long again.
func (p Params) crowds() []crowdSize {
	if p.Goroutines > 0 {
		return []crowdSize{{p.Goroutines, true}}
	}
	sizes := []crowdSize{{1000, true}, {mostGoroutines, true}}
	if p.Full {
		sizes = append(sizes, crowdSize{mostGoroutines, false})
	}
	return sizes
}

// crowd is the most goroutines that read a slow disk at once.
func (p Params) crowd() int { return cmp.Or(p.Goroutines, mostGoroutines) }

// SlowDisk is a disk with a file to read.
type SlowDisk interface {
	What() string
	Simulated() bool // it is a file system in user space
	// Crowd has a process read it: each goroutine a page.
	Crowd(ctx context.Context, side load.Side, goroutines int, direct bool) (crowd.Outcome, error)
	Close() error
}

func runThreads(ctx context.Context, env *Env) (_ any, err error) {
	result := &ThreadsResult{IOPS: slowIOPS, Procs: env.Procs}
	disk, err := slowDiskOf(ctx, env, threadsName)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, disk.Close()) }() // after a panic too
	result.Disk = disk.What()
	if err := env.Screen.Print(result.head()); err != nil {
		return result, err
	}
	for _, size := range env.crowds() {
		for _, side := range []load.Side{load.OSFile, load.Sluice(env.Driver)} {
			if err := result.add(ctx, env, disk, side, size); err != nil {
				return result, err
			}
		}
	}
	result.Verdict = result.verdict()
	return result, env.Screen.Print(result.notes())
}

// slowDiskOf is a step: it makes the disk of an experiment.
func slowDiskOf(ctx context.Context, env *Env, name string) (SlowDisk, error) {
	disk, err := env.Lab.Slow(ctx, crowd.Size(env.crowd()), slowIOPS, func(done float64) {
		env.Screen.Step(fmt.Sprintf("%s: making a slow disk %.0f %%", name, 100*done))
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	env.Screen.Done(1)
	return disk, nil
}

// add measures a row, and prints it.
func (r *ThreadsResult) add(ctx context.Context, env *Env, disk SlowDisk, side load.Side, size crowdSize) error {
	row, err := crowdRow(ctx, env, disk, threadsName, side, size)
	if err != nil {
		return err
	}
	r.Rows = append(r.Rows, row)
	return env.Screen.Print(row.text())
}

// crowdRow is a step: one side, once.
func crowdRow(ctx context.Context, env *Env, disk SlowDisk, name string, side load.Side, size crowdSize) (ThreadsRow, error) {
	env.Screen.Step(fmt.Sprintf("%s: %d goroutines by %s", name, size.goroutines, side.Name))
	defer env.Screen.Done(1)
	o, err := disk.Crowd(ctx, side, size.goroutines, size.direct)
	switch {
	case ctx.Err() != nil:
		return ThreadsRow{}, context.Cause(ctx)
	case err != nil:
		return ThreadsRow{}, fmt.Errorf("%s: %s: %w", name, side.Name, err)
	}
	kind := load.ReadCold
	if size.direct {
		kind = load.ReadDirect
	}
	return ThreadsRow{Load: load.Load{Kind: kind, Size: 4 << 10, Goroutines: size.goroutines}, Side: side, Outcome: o}, nil
}
