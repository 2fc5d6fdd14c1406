package experiments

import (
	"slices"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// The axes of the matrix.
var (
	matrixSizes      = []int{4 << 10, 64 << 10, 1 << 20} // 4 KiB, 64 KiB, 1 MiB
	matrixGoroutines = []int{1, 2, 4, 8, 16, 64, 256}
)

// quickCells are the cells of a run that names none: each kind, at the ends of the axes and where
// the scheduler changes its path.
var quickCells = []load.Load{
	{Kind: load.ReadCached, Size: 4 << 10, Goroutines: 1},
	{Kind: load.ReadCached, Size: 4 << 10, Goroutines: 16},
	{Kind: load.ReadCached, Size: 4 << 10, Goroutines: 256},
	{Kind: load.ReadCached, Size: 1 << 20, Goroutines: 2},
	{Kind: load.ReadCold, Size: 4 << 10, Goroutines: 1},
	{Kind: load.ReadCold, Size: 4 << 10, Goroutines: 16},
	{Kind: load.ReadCold, Size: 4 << 10, Goroutines: 64},
	{Kind: load.ReadCold, Size: 64 << 10, Goroutines: 8},
	{Kind: load.ReadDirect, Size: 4 << 10, Goroutines: 1},
	{Kind: load.ReadDirect, Size: 4 << 10, Goroutines: 8},
	{Kind: load.ReadDirect, Size: 4 << 10, Goroutines: 64},
	{Kind: load.ReadDirect, Size: 4 << 10, Goroutines: 256},
	{Kind: load.ReadDirect, Size: 1 << 20, Goroutines: 4},
	{Kind: load.WriteBuffered, Size: 4 << 10, Goroutines: 1},
	{Kind: load.WriteBuffered, Size: 64 << 10, Goroutines: 16},
	{Kind: load.WriteDirect, Size: 4 << 10, Goroutines: 2},
	{Kind: load.WriteDirect, Size: 4 << 10, Goroutines: 64},
	{Kind: load.WriteSync, Size: 4 << 10, Goroutines: 1},
	{Kind: load.WriteSync, Size: 4 << 10, Goroutines: 8},
	{Kind: load.WriteSync, Size: 4 << 10, Goroutines: 64},
}

// allCells returns all cells of the matrix, row by row.
func allCells() []load.Load {
	var cells []load.Load
	for _, kind := range load.Kinds {
		for _, size := range matrixSizes {
			for _, n := range matrixGoroutines {
				cells = append(cells, load.Load{Kind: kind, Size: size, Goroutines: n})
			}
		}
	}
	return cells
}

// cells returns the cells to measure.
func (p Params) cells() []load.Load {
	switch {
	case len(p.Cells) > 0:
		return slices.DeleteFunc(allCells(), func(l load.Load) bool {
			return !slices.ContainsFunc(p.Cells, func(pat Pattern) bool { return pat.Match(l) })
		})
	case p.Full:
		return allCells()
	}
	return quickCells
}
