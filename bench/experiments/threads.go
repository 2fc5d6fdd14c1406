package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/crowd"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// threads measures the cost of many goroutines that wait for a slow disk. In os.File each holds a
// thread, and the Go runtime ends a program at its 10,000th thread. sluice needs a few. Each side
// is one process, whose goroutines all read 4 KiB at once. It reports its peak of threads and
// memory: counts do not vary as times do, so there are no rounds. A simulated disk (the result's
// Disk says so) needs no root, but its reads do not reach a block device.
var threads = Experiment{
	Name:     threadsName,
	Summary:  "12,000 goroutines on a disk of 500 reads/s: threads, memory",
	OwnFiles: true, // on the slow disk
	Slow:     true,
	Steps:    func(p Params) int { return 1 + 2*len(p.crowds()) },
	Run:      runThreads,
	Read:     read[ThreadsResult],
}

const threadsName = "threads"

// The targets of sluice's figures.
const (
	threadsOver = 8        // the most threads beyond GOMAXPROCS that do not wait for the disk
	MemoryOver  = 64 << 20 // 64 MiB: the most memory beyond the goroutines' stacks and buffers
)

// leastWaiting is how many threads may wait for a device, if there are no more processors:
// docs/decisions/0004-budget.md.
const leastWaiting = 16

// MostThreads is the target of a program that uses one disk: its most threads, with the bound in
// words.
func MostThreads(procs int) (most int, bound string) {
	wait := max(leastWaiting, procs)
	most = procs + threadsOver + wait
	return most, fmt.Sprintf("at most GOMAXPROCS + %d, and %d that wait for the disk: %d", threadsOver, wait, most)
}

// mostGoroutines is more than the 10,000 threads that a Go program may have.
const mostGoroutines = 12_000

// MostGoroutines is the limit of --goroutines.
const MostGoroutines = 100_000

// slowIOPS is the number of reads a second that the slow disk does.
const slowIOPS = 500

// crowdSize is a row's number of goroutines, and whether they read with O_DIRECT.
type crowdSize struct {
	goroutines int
	direct     bool
}

// crowds returns the rows of each side. Only --full has reads through the page cache: they double
// the time.
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

// crowd returns the largest number of goroutines that read the slow disk at once.
func (p Params) crowd() int { return cmp.Or(p.Goroutines, mostGoroutines) }

// SlowDisk is a disk that does few reads a second, with a file to read. Outside tests it is a
// *slowdisk.Disk with the program that reads it.
type SlowDisk interface {
	What() string
	Simulated() bool // whether it is a file system in user space
	// Crowd starts a process in which each goroutine reads a page of the file, all at once.
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

// slowDiskOf makes an experiment's disk as one step.
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

// add measures a row and prints it.
func (r *ThreadsResult) add(ctx context.Context, env *Env, disk SlowDisk, side load.Side, size crowdSize) error {
	row, err := crowdRow(ctx, env, disk, threadsName, side, size)
	if err != nil {
		return err
	}
	r.Rows = append(r.Rows, row)
	return env.Screen.Print(row.text())
}

// crowdRow measures one side once. It is one step.
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
