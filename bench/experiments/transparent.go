package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// transparent has a program that knows os.File alone built by go build and by
// sluice build, and compares the two: what each does on a quick disk and on a slow
// one.
var transparent = Experiment{
	Name:    transparentName,
	Summary: "a program built by go build and by sluice build",
	Slow:    true,
	Steps:   func(p Params) int { return 1 + len(p.transparentCells()) + 1 + len(builds("")) },
	Run:     runTransparent,
	Read:    read[TransparentResult],
}

const transparentName = "transparent"

// What is to be reached: of the operations a second of the plain build.
const (
	transparentCached = 0.97
	transparentDirect = 1.25
)

// What takes microseconds is compared in many short slices, of as many processes: a few percent
// are to be told, and more is between one moment of the machine, or one process, and the next.
var (
	transparentPlan  = duel.Plan{Time: 80 * time.Millisecond, Rounds: 16}
	transparentShort = duel.Plan{Time: 20 * time.Millisecond, Rounds: 96, Fresh: true}
)

// hotSpan is what is read again and again: little, so that what the processor has
// to fetch does not cover what a read costs.
const hotSpan = 8 << 20 // 8 MiB

// target is a load, and what is to be reached with it.
type target struct {
	load.Load
	ratio float64
}

// short reports whether an operation of the load takes microseconds and a new process starts
// quickly.
func (t target) short() bool {
	switch t.Kind {
	case load.ReadFiles, load.HashFile, load.ZipFiles, load.ReadDirect:
		return false
	}
	return true
}

// transparentCells returns the loads. The last is that of the disk.
func (p Params) transparentCells() []target {
	cells := []target{
		cachedTarget(load.ReadCached, 4<<10, 1),
		cachedTarget(load.ReadCached, 4<<10, 4),
		cachedTarget(load.ReadStack, 4<<10, 1),
		cachedTarget(load.ScanCached, 4<<10, 1),
		cachedTarget(load.WriteBuffered, 4<<10, 1),
		cachedTarget(load.ReadFiles, 4<<10, 1),
		cachedTarget(load.HashFile, hotSpan, 1),
		cachedTarget(load.ZipFiles, 4<<10, 1),
	}
	if p.Full {
		cells = append(cells,
			cachedTarget(load.ReadCached, 64<<10, 1),
			cachedTarget(load.ReadCached, 4<<10, 64),
			cachedTarget(load.ScanCached, 64<<10, 1),
			cachedTarget(load.WriteBuffered, 4<<10, 16),
			cachedTarget(load.ReadFiles, 4<<10, 16),
		)
	}
	return append(cells, target{load.Load{Kind: load.ReadDirect, Size: 4 << 10, Goroutines: 64}, transparentDirect})
}

func cachedTarget(kind load.Kind, size, goroutines int) target {
	return target{load.Load{Kind: kind, Size: size, Goroutines: goroutines, Within: hotSpan}, transparentCached}
}

// builds are the two sides.
func builds(driver string) []load.Side {
	return []load.Side{
		{Name: "go build", Way: load.ByGoBuild},
		{Name: "sluice build", Way: load.BySluiceBuild, Driver: driver},
	}
}

func runTransparent(ctx context.Context, env *Env) (_ any, err error) {
	plan, short := env.plan(transparentPlan), env.plan(transparentShort)
	result := &TransparentResult{SliceTime: plan.Time, Rounds: plan.Rounds, ShortTime: short.Time, ShortRounds: short.Rounds, IOPS: slowIOPS, Procs: env.Procs}
	env.Screen.Step(transparentName + ": building the program twice")
	remove, err := env.Lab.Programs(ctx, env.Driver)
	if ctx.Err() != nil && err != nil {
		return result, context.Cause(ctx)
	}
	if err != nil {
		return result, fmt.Errorf("%s: %w", transparentName, err)
	}
	defer func() { err = errors.Join(err, remove()) }() // after a panic too
	env.Screen.Done(1)
	if err := cmp.Or(result.measure(ctx, env, plan, short), env.stopped()); err != nil {
		return result, err
	}
	if err := result.crowds(ctx, env); err != nil {
		return result, err
	}
	return result, env.Screen.Print(result.notes())
}

// measure compares the two in each cell, and prints the table.
func (r *TransparentResult) measure(ctx context.Context, env *Env, plan, short duel.Plan) error {
	if err := env.Screen.Print(r.head()); err != nil {
		return err
	}
	for _, t := range env.transparentCells() {
		p := plan
		if t.short() {
			p = short
		}
		sides, err := env.compare(ctx, transparentName, t.Load, builds(env.Driver), p)
		if err != nil {
			return err
		}
		cell := TransparentCell{newCell(t.Load, sides), t.ratio}
		r.Cells = append(r.Cells, cell)
		if err := env.Screen.Print(cell.text()); err != nil {
			return err
		}
	}
	return nil
}

// crowds has many goroutines of each build read a slow disk at once. That there
// is none is a result.
func (r *TransparentResult) crowds(ctx context.Context, env *Env) (err error) {
	disk, err := slowDiskOf(ctx, env, transparentName)
	if err != nil && ctx.Err() == nil {
		r.NoDisk = err.Error()
		env.Screen.Done(1 + len(builds("")))
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, disk.Close()) }() // after a panic too
	if disk.Simulated() {
		r.NoDisk = "it takes root: files of " + disk.What() + ", take their old way in both builds"
		env.Screen.Done(len(builds("")))
		return nil
	}
	r.Disk = disk.What()
	if err := env.Screen.Print(r.crowdHead()); err != nil {
		return err
	}
	for _, side := range builds(env.Driver) {
		row, err := crowdRow(ctx, env, disk, transparentName, side, crowdSize{env.crowd(), false})
		if err != nil {
			return err
		}
		r.Crowd = append(r.Crowd, row)
		if err := env.Screen.Print(row.text()); err != nil {
			return err
		}
	}
	return nil
}
