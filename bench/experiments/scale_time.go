package experiments

import (
	"context"
	"errors"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// The times of scale. A slice is longer than in the matrix: its lead-in, a quarter of it,
// gives governors and rings time to settle with many processors.
const (
	scaleSlice = 200 * time.Millisecond
	scaleTime  = 8 * time.Minute                // the most for all cells together
	scaleMost  = 30 * time.Second               // the most for one cell
	scaleEnd   = 9*time.Minute + 30*time.Second // since the run began, preparation included
)

// timed reports whether the user has set the time of a cell. Then nothing else bounds the run.
func (p Params) timed() bool { return p.PerCell > 0 || p.Rounds > 0 }

// withScaleTimes returns p with times for so many cells. Times that the user has set stay.
func (p Params) withScaleTimes(cells int) Params {
	if !p.timed() {
		p.PerCell = min(scaleMost, scaleTime/time.Duration(max(1, cells))).Truncate(100 * time.Millisecond)
	}
	if p.Time == 0 {
		p.Time = scaleSlice
	}
	return p
}

// place returns the comparer on which a load is measured.
type place func(context.Context, load.Load) (comparer, error)

// bounded returns place on with a limit for all cells together. If the user has set the time of a
// cell, it returns on.
func (p Params) bounded(cells int, on place) place {
	if p.timed() {
		return on
	}
	began := p.Began
	if began.IsZero() {
		began = time.Now()
	}
	left := &allowance{end: began.Add(scaleEnd), cells: cells}
	return func(ctx context.Context, l load.Load) (comparer, error) {
		c, err := on(ctx, l)
		return boundedComparer{c, left}, err
	}
}

// allowance is the time left for the next cells. On a slow device six rounds may take minutes.
type allowance struct {
	end   time.Time
	cells int // the cells that are left
}

// next returns the time for the next cell: its part of the time that is left.
func (a *allowance) next() time.Duration {
	part := time.Until(a.end) / time.Duration(max(1, a.cells))
	a.cells--
	return part
}

// errNoTime ends a cell whose time is up.
var errNoTime = errors.New("there was no time for a round")

// boundedComparer is a comparer that ends when the cell's time is up.
type boundedComparer struct {
	on comparer
	*allowance
}

// Compare returns the rounds that were finished in time. If there are none, the entries are
// unsupported.
func (b boundedComparer) Compare(ctx context.Context, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	timed, cancel := context.WithTimeoutCause(ctx, b.next(), errNoTime)
	defer cancel()
	results, err := b.on.Compare(timed, entries, p)
	switch {
	case !errors.Is(err, errNoTime):
		return results, err
	case rounds(results) == 0:
		return unsupportedAll(entries, errNoTime.Error()+"; --cells with fewer cells, or --per-cell, gives it more"), nil
	}
	return results, nil
}
