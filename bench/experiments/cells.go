package experiments

import (
	"slices"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// half and k4 are sizes of operations.
const (
	half = 512     // bytes
	k4   = 4 << 10 // 4 KiB
	k64  = 64 << 10
	m1   = 1 << 20
)

// rows defines the cells of the matrix: each kind has a cell for each of its sizes and numbers of
// goroutines. Kinds with computation, or with a file for each goroutine, have few sizes: there the
// size matters little.
var rows = []struct {
	kinds      []load.Kind
	sizes      []int
	goroutines []int
}{
	{[]load.Kind{load.ReadCached}, []int{half, k4, k64, m1}, manyGoroutines},
	{[]load.Kind{load.ReadCold}, []int{k4, k64, m1}, manyGoroutines},
	{[]load.Kind{load.ReadCold2us, load.ReadCold6us, load.ReadColdBusy}, []int{k4}, manyGoroutines},
	{[]load.Kind{load.ReadDirect}, []int{k4, k64, m1}, manyGoroutines},
	{[]load.Kind{load.ReadDirect2us, load.ReadDirect6us, load.ReadDirectBusy}, []int{k4}, manyGoroutines},
	{[]load.Kind{load.ReadCold50us, load.ReadDirect50us}, []int{k4}, []int{4, 16}},
	{[]load.Kind{load.ReadBuffer}, []int{k4, k64}, []int{1, 4, 16, 64}},
	{[]load.Kind{load.WriteBuffered, load.WriteDirect, load.WriteSync}, []int{k4, k64, m1}, manyGoroutines},
	{[]load.Kind{load.WriteDirectHot, load.WriteDirectBusy, load.WriteSyncBusy, load.SyncOwn, load.WriteLogs}, []int{k4}, manyGoroutines},
	{[]load.Kind{load.ServeFile}, []int{k4, k64, m1}, []int{1, 4, 16, 64}},
	{[]load.Kind{load.Start}, []int{k4}, []int{1}},
}

var manyGoroutines = []int{1, 2, 4, 8, 16, 64, 256}

// quickCells are the cells of a run that names none: the ends of the axes, and points where the
// scheduler changes its path. Start is left out because building its programs may take long.
var quickCells = []load.Load{
	{Kind: load.ReadCached, Size: half, Goroutines: 1},
	{Kind: load.ReadCached, Size: k4, Goroutines: 1},
	{Kind: load.ReadCached, Size: k4, Goroutines: 4},
	{Kind: load.ReadCached, Size: k4, Goroutines: 256},
	{Kind: load.ReadCold, Size: k4, Goroutines: 1},
	{Kind: load.ReadCold, Size: k4, Goroutines: 4},
	{Kind: load.ReadCold, Size: k4, Goroutines: 64},
	{Kind: load.ReadCold6us, Size: k4, Goroutines: 16},
	{Kind: load.ReadDirect, Size: k4, Goroutines: 1},
	{Kind: load.ReadDirect, Size: k4, Goroutines: 4},
	{Kind: load.ReadDirect, Size: k4, Goroutines: 8},
	{Kind: load.ReadDirect, Size: k4, Goroutines: 64},
	{Kind: load.ReadDirect, Size: k4, Goroutines: 256},
	{Kind: load.ReadDirect, Size: m1, Goroutines: 4},
	{Kind: load.ReadDirect2us, Size: k4, Goroutines: 2},
	{Kind: load.ReadDirect2us, Size: k4, Goroutines: 64},
	{Kind: load.WriteBuffered, Size: k4, Goroutines: 1},
	{Kind: load.WriteDirect, Size: k4, Goroutines: 4},
	{Kind: load.WriteDirect, Size: k4, Goroutines: 64},
	{Kind: load.WriteSync, Size: k4, Goroutines: 8},
	{Kind: load.WriteSync, Size: k4, Goroutines: 64},
	{Kind: load.SyncOwn, Size: k4, Goroutines: 4},
	{Kind: load.WriteLogs, Size: k4, Goroutines: 16},
	{Kind: load.ServeFile, Size: k64, Goroutines: 4},
}

// allCells returns all cells of the matrix row by row, without variants by GOMAXPROCS.
func allCells() []load.Load {
	var cells []load.Load
	for _, row := range rows {
		for _, kind := range row.kinds {
			for _, size := range row.sizes {
				for _, n := range row.goroutines {
					cells = append(cells, load.Load{Kind: kind, Size: size, Goroutines: n})
				}
			}
		}
	}
	return cells
}

// fullProcs are the numbers of processors by which --full measures quickCells.
var fullProcs = []int{1, 2, 4, 8}

// cells returns the cells to measure. --procs adds a variant of each cell for each number of
// processors. --full has all cells, then quickCells for each of fullProcs.
func (p Params) cells() []load.Load {
	cells, procs := quickCells, p.CellProcs
	if p.Full || len(p.Cells) > 0 {
		cells = allCells()
	}
	cells = p.matching(cells)
	switch {
	case len(procs) > 0:
		return withProcs(cells, procs)
	case p.Full:
		return append(cells, withProcs(p.matching(quickCells), fullProcs)...)
	}
	return cells
}

// matching returns the cells that --cells chooses. Without --cells it returns all.
func (p Params) matching(cells []load.Load) []load.Load {
	return slices.DeleteFunc(slices.Clone(cells), func(l load.Load) bool { return !p.Chooses(l) })
}

// Chooses reports whether --cells chooses the cell. Without --cells it is true.
func (p Params) Chooses(l load.Load) bool {
	return len(p.Cells) == 0 || slices.ContainsFunc(p.Cells, func(pat Pattern) bool { return pat.Match(l) })
}

// withProcs returns each cell for each number of processors, ordered by that number.
func withProcs(cells []load.Load, procs []int) []load.Load {
	var all []load.Load
	for _, n := range procs {
		for _, l := range cells {
			l.Procs = n
			all = append(all, l)
		}
	}
	return all
}
