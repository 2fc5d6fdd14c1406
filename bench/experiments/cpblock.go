package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/report"
)

// largestBlock is the largest block size that is measured. The smallest is smallBlock.
const largestBlock = 1 << 20 // 1 MiB

// cpBlock tests the publication's explanation of its results. sluice copies large files in blocks
// of several sizes, beside cp -r. The question is whether the block size decides which program is
// faster.
var cpBlock = copyExperiment{
	name:    "cp-block",
	summary: "copies of large files, cold, by the size of a block",
	shape:   largeFiles,
	quick:   3,
	modes: []copyMode{
		cold.by(blockSizePrograms).with(copyFigure{finding: blockFinding, text: "the larger block is what makes the concurrent copy win"}),
	},
}.experiment()

// by returns the mode with these programs.
func (m copyMode) by(programs func(p Params, kind string) []copies.Contender) copyMode {
	m.programs = programs
	return m
}

// blockSizePrograms returns cp -r, and sluice with every second power of two as its block size.
// With --full it has every power of two.
func blockSizePrograms(p Params, _ string) []copies.Contender {
	all := []copies.Contender{systemProgram(gnuCP, "-r")}
	step := 2
	if p.Full {
		step = 1
	}
	for size := int64(smallBlock); size <= largestBlock; size <<= step {
		all = append(all, p.inBlocks(size, "--sync=fs"))
	}
	return all
}

// blockFinding compares cp -r with the smallest block, and with the fastest of the larger blocks.
func blockFinding(m *CopyMode) string {
	small, ok := m.row(smallBlocks)
	best, okBest := m.bestBlock()
	if !ok || !okBest {
		return "undecided without a smaller and a larger block"
	}
	verdict := sweepVerdict(small, best)
	if n := len(best.Rounds); tooFew(n) {
		verdict = noVerdict(n)
	}
	return fmt.Sprintf("%s: with 4 KiB %s times as fast as cp -r (%s to %s), best with %s, %s times (%s to %s)", verdict,
		report.Ratio(small.Speed.Ratio), report.Ratio(small.Speed.Low), report.Ratio(small.Speed.High),
		best.Side.Name[len("sluice "):], report.Ratio(best.Speed.Ratio), report.Ratio(best.Speed.Low), report.Ratio(best.Speed.High))
}

// bestBlock returns the fastest row of sluice without the smallest block.
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

// sweepVerdict returns whether the block size decides which program is faster.
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
	return "undecided"
}
