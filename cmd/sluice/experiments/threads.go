package experiments

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/cmd/sluice/internal/crowd"
	"github.com/sluiceio/sluice/cmd/sluice/internal/load"
)

// threads is what a Go program comes to whose disk is slow: each goroutine that
// waits in os.File has a thread, and the 10,000th ends the program.
var threads = Experiment{
	Name:    threadsName,
	Summary: "12,000 goroutines on a disk of 500 reads/s: threads, memory",
	Trees:   true, // it needs no file: its disk is its own
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
	sizes := []crowdSize{{1000, true}, {mostGoroutines, true}}
	if p.Full {
		sizes = append(sizes, crowdSize{mostGoroutines, false})
	}
	return sizes
}

// SlowDisk is a disk with a file to read.
type SlowDisk interface {
	What() string
	// Crowd has a process read it: each goroutine a page.
	Crowd(ctx context.Context, side load.Side, goroutines int, direct bool) (crowd.Outcome, error)
	Close() error
}

func runThreads(ctx context.Context, env *Env) (_ any, err error) {
	result := &ThreadsResult{IOPS: slowIOPS, Procs: env.Procs}
	disk, err := env.Lab.Slow(ctx, crowd.Size(mostGoroutines), slowIOPS, func(done float64) {
		env.Screen.Step(fmt.Sprintf("%s: making a slow disk %.0f %%", threadsName, 100*done))
	})
	if ctx.Err() != nil && err != nil {
		return result, context.Cause(ctx)
	}
	if err != nil {
		return result, fmt.Errorf("%s: %w", threadsName, err)
	}
	defer func() { err = errors.Join(err, disk.Close()) }() // after a panic too
	env.Screen.Done(1)
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

// add measures a row, and prints it.
func (r *ThreadsResult) add(ctx context.Context, env *Env, disk SlowDisk, side load.Side, size crowdSize) error {
	row, err := crowdRow(ctx, env, disk, side, size)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", threadsName, side.Name, err)
	}
	r.Rows = append(r.Rows, row)
	return env.Screen.Print(row.text())
}

// crowdRow is a step: one side, once.
func crowdRow(ctx context.Context, env *Env, disk SlowDisk, side load.Side, size crowdSize) (ThreadsRow, error) {
	env.Screen.Step(fmt.Sprintf("%s: %d goroutines by %s", threadsName, size.goroutines, side.Name))
	defer env.Screen.Done(1)
	o, err := disk.Crowd(ctx, side, size.goroutines, size.direct)
	kind := load.ReadCold
	if size.direct {
		kind = load.ReadDirect
	}
	return ThreadsRow{Load: load.Load{Kind: kind, Size: 4 << 10, Goroutines: size.goroutines}, Side: side, Outcome: o}, err
}
