package experiments

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/blockdev"
	"github.com/sluiceio/sluice/bench/internal/burst"
)

// aioLatency repeats the "Linux kernel AI/O test": Linux AIO and io_uring queue 1000 small direct
// writes one by one, under each I/O scheduler of the device. The result has the times at which each
// write was queued and seen to complete. The published disk has 7200 rpm and no write cache, so
// only the grouping of completions and the blocking of io_submit can be compared.
var aioLatency = Experiment{
	Name:    AIOLatency,
	Summary: "1000 raw writes queued at once, with each I/O scheduler",
	Source:  aioTestSource,
	Raw:     true,
	Steps:   func(Params) int { return 1 }, // the number of schedulers is not known beforehand
	Run:     runAIOLatency,
	Read:    read[AIOResult],
}

// AIOLatency is the name of the experiment, the only one that --device is for.
const AIOLatency = "aio-latency"

const (
	aioTestSource  = "Linux kernel AI/O test"
	aioTestFinding = "batches of about 30 writes complete together; the scheduler hardly matters; io_submit now and then " +
		"blocks although the queue has room; the first write of a batch takes 30 to 60 ms (disk of 7200 rpm, write cache off)."
)

// RawWrites is the number of writes that are queued at once.
const RawWrites = 1000

const (
	rawRounds = 5 // bursts of each scheduler and engine
	// the limit of --rounds: all bursts of a row are kept in memory until it is done
	mostRawRounds = 1000
)

// Disk is the device for raw writes. It is a *blockdev.Disk except in tests.
type Disk interface {
	About() blockdev.About
	// SetScheduler sets the I/O scheduler until Close.
	SetScheduler(name string) error
	// Burst queues writes of About().Size one after another, without waiting for any.
	Burst(ctx context.Context, e burst.Engine, writes int) (*burst.Result, error)
	Close() error
}

// AIOResult is the result of aio-latency.
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
	// restores the scheduler, after a panic too
	defer func() { err = errors.Join(err, disk.Close()) }()
	result.Disk = disk.About()
	rounds := rawRounds
	if env.Rounds > 0 {
		rounds = min(env.Rounds, mostRawRounds)
	}
	if err := env.Screen.Print(result.head(rounds)); err != nil {
		return result, err
	}
	for _, scheduler := range schedulersOf(result.Disk) {
		rows, err := burstRows(ctx, env, disk, scheduler, rounds)
		result.Rows = append(result.Rows, rows...)
		if stop := env.stopped(); stop != nil {
			return result, stop
		}
		if err != nil {
			return result, fmt.Errorf("%s: %w", AIOLatency, err)
		}
	}
	result.Verdict = aioVerdict(result.Rows)
	return result, env.Screen.Print(result.notes())
}

// burstRows measures one scheduler: a burst of each engine, in turn, round after round.
func burstRows(ctx context.Context, env *Env, disk Disk, scheduler string, rounds int) ([]AIORow, error) {
	env.Screen.Step(AIOLatency + " " + scheduler)
	if disk.About().Name != "" && scheduler != "" {
		if err := disk.SetScheduler(scheduler); err != nil {
			return nil, err
		}
	}
	engines := make([]engineRounds, len(burst.Engines))
	for round := range rounds + 1 { // round 0 warms up and does not count
		err := burstRound(ctx, disk, engines, round > 0)
		if err == nil {
			continue
		}
		finished := max(round-1, 0)
		if err := env.endStep(ctx, AIOLatency+" "+scheduler, finished, rounds, err); err != nil {
			return nil, err
		}
		for i := range engines {
			engines[i].rounds = engines[i].rounds[:min(finished, len(engines[i].rounds))]
		}
		break
	}
	var rows []AIORow
	for i, engine := range burst.Engines {
		row := newAIORow(scheduler, engine, engines[i].rounds)
		row.Unsupported = engines[i].missing
		if err := env.Screen.Print(row.text()); err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// burstRound performs one burst of each engine.
func burstRound(ctx context.Context, disk Disk, engines []engineRounds, counts bool) error {
	for i, engine := range burst.Engines {
		if err := engines[i].burst(ctx, disk, engine, counts); err != nil {
			return err
		}
		if ctx.Err() != nil { // the burst may have ended early
			return context.Cause(ctx)
		}
	}
	return nil
}

// engineRounds holds the bursts of one engine.
type engineRounds struct {
	rounds  []*burst.Result
	missing string // why the engine has no bursts
}

// burst performs one burst, and keeps its result if it counts.
func (e *engineRounds) burst(ctx context.Context, disk Disk, engine burst.Engine, counts bool) error {
	if e.missing != "" {
		return nil
	}
	r, err := disk.Burst(ctx, engine, RawWrites)
	if unsupported, ok := errors.AsType[*burst.UnsupportedError](err); ok {
		e.missing = unsupported.Error()
		return nil
	}
	if err == nil && counts {
		e.rounds = append(e.rounds, r)
	}
	return err
}
