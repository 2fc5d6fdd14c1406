package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/internal/database"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// pebble compares a Pebble database on Pebble's own files (stock) with one on package pebblevfs, in
// each of its modes, and with stock under `sluice build`. All have the same options and block
// cache. The database has four times as much data as the processes have memory, page cache
// included: the ratios depend on that. Beside a compaction all sides compact at the same rate:
// otherwise a side that compacts faster would read slower.
var pebble = Experiment{
	Name:     pebbleName,
	Summary:  "a Pebble database larger than memory: pebblevfs and Pebble's own files",
	OwnFiles: true,
	Cells:    Params.allPebbleLoads,
	Steps:    func(p Params) int { return 1 + len(p.pebbleCells()) },
	Run:      runPebble,
	Read:     read[PebbleResult],
}

const pebbleName = "pebble"

// pebblePlan is the plan of a cell, and pebbleFull is it with --full. Slices are long because each
// begins with an empty page cache.
var (
	pebblePlan = duel.Plan{Time: time.Second, Rounds: 8}
	pebbleFull = duel.Plan{Time: 2 * time.Second, Rounds: 20}
)

func (p Params) pebblePlan() duel.Plan {
	if p.Full {
		return p.plan(pebbleFull)
	}
	return p.plan(pebblePlan)
}

// pebbleValue is the size of a record's value. pebbleScan is the size of a scan's operation.
const (
	pebbleValue = 1000
	pebbleScan  = 1 << 20 // 1 MiB
)

// pebblePace is the rate of compactions, in bytes a second.
const pebblePace = 16 << 20 // 16 MiB

// leastPebbleMemory is the memory that processes with 256 goroutines need.
const leastPebbleMemory = 128 << 20 // 128 MiB

// pebbleData returns the bytes of the database and of memory.
func (p Params) pebbleData() (data, memory int64) {
	data = 1 << 30 // 1 GiB
	if p.Full {
		data = 4 << 30
	}
	if p.Size > 0 {
		data = p.Size
	}
	return data, max(data/4, leastPebbleMemory)
}

// pebbleLoad returns a load on the database.
func (p Params) pebbleLoad(kind load.Kind, size, goroutines int) load.Load {
	data, memory := p.pebbleData()
	const ofMemory = 16 // small, so that files and not the cache are measured
	return load.Load{Kind: kind, Size: size, Goroutines: goroutines, Records: database.Records(data), Cache: memory / ofMemory}
}

// pebbleCell is a load with the sides that it is measured on. The first is stock.
type pebbleCell struct {
	load  load.Load
	sides []load.Side
}

// allPebbleLoads returns the loads of all cells.
func (p Params) allPebbleLoads() []load.Load {
	p.Full, p.Size, p.Cells = true, 0, nil
	var all []load.Load
	for _, c := range p.pebbleCells() {
		all = append(all, c.load)
	}
	return all
}

// pebbleCells returns the cells to measure.
func (p Params) pebbleCells() []pebbleCell {
	stock, build := load.Side{Name: "stock", Way: load.ByPebble}, load.Side{Name: "sluice build", Way: load.ByPebbleBuild, Driver: p.Driver}
	buffered := load.Side{Name: "buffered", Way: load.ByPebbleBuffer, Driver: p.Driver}
	direct := load.Side{Name: "direct", Way: load.ByPebbleDirect, Driver: p.Driver}
	bufferedClass := load.Side{Name: "buffered+bg", Way: load.ByPebbleBuffer, Driver: p.Driver, Class: load.Background}
	hybridClass := load.Side{Name: "hybrid+bg", Way: load.ByPebbleHybrid, Driver: p.Driver, Class: load.Background}
	directClass := load.Side{Name: "direct+bg", Way: load.ByPebbleDirect, Driver: p.Driver, Class: load.Background}

	gets, syncs, compactions, scans := []int{1, 64, 256}, []int{1, 64}, []int{64}, []int{1}
	if p.Full || len(p.Cells) > 0 {
		gets, syncs, compactions, scans = []int{1, 2, 16, 64, 256}, []int{1, 16, 64, 256}, []int{16, 64}, []int{1, 4}
	}
	var cells []pebbleCell
	add := func(kind load.Kind, size int, goroutines []int, sides ...load.Side) {
		for _, n := range goroutines {
			l := p.pebbleLoad(kind, size, n)
			if kind == load.PebbleCompact {
				l.Pace = pebblePace
			}
			if p.Chooses(l) {
				cells = append(cells, pebbleCell{l, sides})
			}
		}
	}
	add(load.PebbleGet, pebbleValue, gets, stock, buffered, hybridClass, direct, build)
	add(load.PebbleSync, pebbleValue, syncs, stock, buffered) // the log is the same in each mode
	add(load.PebbleCompact, pebbleValue, compactions, stock, bufferedClass, hybridClass, directClass)
	add(load.PebbleScan, pebbleScan, scans, stock, buffered, hybridClass, direct)
	return cells
}

// Database is a database on which loads are performed.
type Database interface {
	comparer
	// Close removes the database.
	Close() error
}

func runPebble(ctx context.Context, env *Env) (_ any, err error) {
	plan, cells := env.pebblePlan(), env.pebbleCells()
	data, memory := env.pebbleData()
	result := &PebbleResult{SliceTime: plan.Time, Rounds: plan.Rounds, Data: data, Memory: memory, Procs: env.Procs}
	db, err := env.Lab.Database(ctx, env.pebbleLoad(load.PebbleLoad, pebbleValue, 1), memory, env.Driver, func(what string, done float64) {
		env.Screen.Step(fmt.Sprintf("%s: %s %.0f %%", pebbleName, what, 100*done))
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return result, context.Cause(ctx)
	case errors.Is(err, database.ErrMissing):
		result.Missing = err.Error()
		env.Screen.Done(1 + len(cells))
		return result, env.Screen.Print(result.missing())
	case err != nil:
		return result, fmt.Errorf("%s: %w", pebbleName, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }() // after a panic too
	env.Screen.Done(1)
	if err := env.Screen.Print(result.head()); err != nil {
		return result, err
	}
	for _, c := range cells {
		results, err := env.compareOn(ctx, db, pebbleName+" "+c.load.String(), duel.Same(c.load, c.sides), plan)
		if err != nil {
			return result, err
		}
		cell := newPebbleCell(c.load, results)
		result.Cells = append(result.Cells, cell)
		if err := cmp.Or(env.Screen.Print(cell.text()), env.stopped()); err != nil {
			return result, err
		}
	}
	return result, env.Screen.Print(result.notes())
}
