package experiments

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/cmd/sluice/internal/blockdev"
	"github.com/sluiceio/sluice/cmd/sluice/internal/burst"
)

// aioLatency is the "Linux kernel AI/O test": many small direct writes queued at
// once, for each I/O scheduler of the device.
var aioLatency = Experiment{
	Name:    AIOLatency,
	Summary: "1000 raw writes queued at once, with each I/O scheduler",
	Source:  aioTestSource,
	Raw:     true,
	Steps:   func(Params) int { return 1 }, // how many schedulers there are is not known before
	Run:     runAIOLatency,
}

// AIOLatency is the name of the experiment that --device is for.
const AIOLatency = "aio-latency"

const (
	aioTestSource  = "Linux kernel AI/O test"
	aioTestFinding = "batches of about 30 writes complete together; the scheduler hardly matters; io_submit now and then " +
		"blocks although the queue has room; the first write of a batch takes 30 to 60 ms (disk of 7200 rpm, write cache off)."
)

// RawWrites is how many writes are queued at once.
const RawWrites = 1000

// rawRounds is how many bursts each scheduler and engine has.
const rawRounds = 5

// Disk is what raw writes go to. It is a *blockdev.Disk except in tests.
type Disk interface {
	About() blockdev.About
	// SetScheduler sets the I/O scheduler until Close.
	SetScheduler(name string) error
	// Burst queues writes of About().Size at once.
	Burst(ctx context.Context, e burst.Engine, writes int) (*burst.Result, error)
	Close() error
}

// AIOResult is what aio-latency measured.
type AIOResult struct {
	Source  string         `json:"source"`
	Finding string         `json:"finding"`
	Verdict string         `json:"verdict"`
	Disk    blockdev.About `json:"disk"`
	Writes  int            `json:"writes"`
	Rows    []AIORow       `json:"rows"`
}

func runAIOLatency(ctx context.Context, env *Env) (_ any, err error) {
	env.Screen.Step(AIOLatency)
	defer env.Screen.Done(1)
	result := &AIOResult{Source: aioTestSource, Finding: aioTestFinding, Writes: RawWrites}
	disk, err := env.Lab.Disk()
	if err != nil {
		return result, fmt.Errorf("%s: %w", AIOLatency, err)
	}
	defer func() { err = errors.Join(err, disk.Close()) }() // restores the scheduler, after a panic too
	result.Disk = disk.About()
	rounds := rawRounds
	if env.Rounds > 0 {
		rounds = env.Rounds
	}
	if err := env.Screen.Print(result.head(rounds)); err != nil {
		return result, err
	}
	for _, scheduler := range schedulersOf(result.Disk) {
		rows, err := burstRows(ctx, env, disk, scheduler, rounds)
		if err != nil {
			return result, fmt.Errorf("%s: %w", AIOLatency, err)
		}
		result.Rows = append(result.Rows, rows...)
	}
	result.Verdict = aioVerdict(result.Rows)
	return result, env.Screen.Print(result.notes())
}

// burstRows measures one scheduler: the engines in turn.
func burstRows(ctx context.Context, env *Env, disk Disk, scheduler string, rounds int) ([]AIORow, error) {
	env.Screen.Step(AIOLatency + " " + scheduler)
	if disk.About().Name != "" && scheduler != "" {
		if err := disk.SetScheduler(scheduler); err != nil {
			return nil, err
		}
	}
	bursts := make([][]*burst.Result, len(burst.Engines))
	missing := make([]string, len(burst.Engines))
	for round := range rounds + 1 { // the first is to warm up
		for i, engine := range burst.Engines {
			if missing[i] != "" {
				continue
			}
			r, err := disk.Burst(ctx, engine, RawWrites)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if unsupported, ok := errors.AsType[*burst.UnsupportedError](err); ok {
				missing[i] = unsupported.Error()
				continue
			}
			if err != nil {
				return nil, err
			}
			if round > 0 {
				bursts[i] = append(bursts[i], r)
			}
		}
	}
	var rows []AIORow
	for i, engine := range burst.Engines {
		row := newAIORow(scheduler, engine, bursts[i])
		row.Unsupported = missing[i]
		if err := env.Screen.Print(row.text()); err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
