package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// transparent compares two builds of a program that uses only os.File: by go build and by sluice
// build. In memory, sluice build must cost next to nothing. With direct reads by 64 goroutines it
// must gain. With many goroutines that read a slow disk, as in threads, the plain build dies.
var transparent = Experiment{
	Name:    transparentName,
	Summary: "a program built by go build and by sluice build",
	Slow:    true,
	Precise: true,
	Steps:   func(p Params) int { return 1 + len(p.transparentCells()) + 1 + len(builds("")) },
	Run:     runTransparent,
	Read:    read[TransparentResult],
}

const transparentName = "transparent"

// The targets are multiples of the plain build's operations a second.
const (
	transparentCached = 0.97
	transparentDirect = 1.25
)

// hotSpan is the span of cached operations. It fits the processor's cache: misses would hide the
// cost of a read.
const hotSpan = 8 << 20 // 8 MiB

// cellTarget is a cell and the ratio that is its target.
type cellTarget struct {
	load.Load
	ratio float64
}

// transparentCells returns the cells. The last one reads from the disk.
func (p Params) transparentCells() []cellTarget {
	cells := []cellTarget{
		cachedCell(load.ReadCached, 4<<10, 1),
		cachedCell(load.ReadCached, 4<<10, 4),
		cachedCell(load.ReadStack, 4<<10, 1),
		cachedCell(load.ScanCached, 4<<10, 1),
		cachedCell(load.WriteBuffered, 4<<10, 1),
		cachedCell(load.ReadFiles, 4<<10, 1),
		cachedCell(load.HashFile, hotSpan, 1),
		cachedCell(load.ZipFiles, 4<<10, 1),
	}
	if p.Full {
		cells = append(cells,
			cachedCell(load.ReadCached, 64<<10, 1),
			cachedCell(load.ReadCached, 4<<10, 64),
			cachedCell(load.ScanCached, 64<<10, 1),
			cachedCell(load.WriteBuffered, 4<<10, 16),
			cachedCell(load.ReadFiles, 4<<10, 16),
		)
	}
	return append(cells, cellTarget{load.Load{Kind: load.ReadDirect, Size: 4 << 10, Goroutines: 64}, transparentDirect})
}

func cachedCell(kind load.Kind, size, goroutines int) cellTarget {
	return cellTarget{load.Load{Kind: kind, Size: size, Goroutines: goroutines, Within: hotSpan}, transparentCached}
}

// builds returns the two sides.
func builds(driver string) []load.Side {
	return []load.Side{
		{Name: "go build", Way: load.ByGoBuild},
		{Name: "sluice build", Way: load.BySluiceBuild, Driver: driver},
	}
}

func runTransparent(ctx context.Context, env *Env) (_ any, err error) {
	result := &TransparentResult{Rounds: env.Rounds, IOPS: slowIOPS, Procs: env.Procs}
	result.SliceTime, result.CellTime = env.cellTimes("")
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
	if err := cmp.Or(result.measure(ctx, env), env.stopped()); err != nil {
		return result, err
	}
	if err := result.crowds(ctx, env); err != nil {
		return result, err
	}
	return result, env.Screen.Print(result.notes())
}

// measure compares the builds in each cell, and prints the table.
func (r *TransparentResult) measure(ctx context.Context, env *Env) error {
	cells := env.transparentCells()
	loads := make([]load.Load, len(cells))
	for i, c := range cells {
		loads[i] = c.Load
	}
	if err := env.Screen.Print(r.head(env.planText(loads))); err != nil {
		return err
	}
	for _, t := range cells {
		sides, err := env.compareCell(ctx, env.Lab, transparentName+" "+t.String(), t.Load, builds(env.Driver))
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

// crowds measures many goroutines of each build that read a slow disk at once. Without a slow disk,
// the result has the reason.
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
		r.NoDisk = "this needs root: sluice build does not serve files of " + disk.What()
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
