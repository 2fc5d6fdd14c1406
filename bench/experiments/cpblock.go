package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/report"
)

// largestBlock is where the sweep ends, which begins with smallBlock.
const largestBlock = 1 << 20 // 1 MiB

// cpBlock copies large files in blocks of several sizes.
var cpBlock = copying{
	name:    "cp-block",
	summary: "copies of large files, cold, by the size of a block",
	shape:   largeFiles,
	quick:   3,
	modes: []copyMode{
		cold.by(everyBlock).with(copyFigure{finding: blockFinding, text: "the larger block is what makes the concurrent copy win"}),
	},
}.experiment()

// by returns the mode with other programs.
func (m copyMode) by(programs func(p Params, kind string) []copies.Contender) copyMode {
	m.programs = programs
	return m
}

// everyBlock is cp -r, and sluice with every second power of two; with --full with
// each of them.
func everyBlock(p Params, _ string) []copies.Contender {
	all := []copies.Contender{named(gnuCP, "-r")}
	step := 2
	if p.Full {
		step = 1
	}
	for size := int64(smallBlock); size <= largestBlock; size <<= step {
		all = append(all, p.inBlocks(size, "--sync=fs"))
	}
	return all
}

// blockFinding compares the smallest block and the best of the others with
// cp -r.
func blockFinding(m *CopyMode) string {
	small, ok := m.row(smallBlocks)
	best, okBest := m.bestBlock()
	if !ok || !okBest {
		return "cannot be told without a smaller and a larger block"
	}
	verdict := sweepVerdict(small, best)
	if n := len(best.Rounds); few(n) {
		verdict = noVerdict(n)
	}
	return fmt.Sprintf("%s: with 4 KiB %s times as fast as cp -r (%s to %s), best with %s, %s times (%s to %s)", verdict,
		report.Ratio(small.Speed.Ratio), report.Ratio(small.Speed.Low), report.Ratio(small.Speed.High),
		best.Side.Name[len("sluice "):], report.Ratio(best.Speed.Ratio), report.Ratio(best.Speed.Low), report.Ratio(best.Speed.High))
}

// bestBlock returns the fastest row of sluice but that of the smallest block.
func (m *CopyMode) bestBlock() (best CopyRow, ok bool) {
	for _, row := range m.Rows {
		_, there := m.row(row.Side.Name)
		if !there || firstWord(row.Side.Name) != "sluice" || row.Side.Name == smallBlocks {
			continue
		}
		if !ok || row.Speed.Ratio > best.Speed.Ratio {
			best, ok = row, true
		}
	}
	return best, ok
}

// sweepVerdict returns whether the size of the block decides which program wins.
func sweepVerdict(small, best CopyRow) string {
	switch {
	case best.Speed.High < 1:
		return "it does not hold, no block wins"
	case small.Speed.Low > 1 && best.Speed.Low > small.Speed.High:
		return "it holds in part: a small block wins as well, a larger one by more"
	case small.Speed.Low > 1:
		return "it does not hold, the small block wins as well"
	case best.Speed.Low > 1:
		return "it still holds"
	}
	return "it cannot be told"
}
