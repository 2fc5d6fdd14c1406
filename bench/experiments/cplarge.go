package experiments

import (
	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/tree"
)

// largeFiles is a tree of four levels with 780 files. Like cpSmall's, it has five files and five
// subdirectories in each directory.
var largeFiles = tree.Shape{Levels: 4, Width: 5, FileSize: 1 << 20}

// smallBlock is the block size with which the published copy lost.
const smallBlock = 4 << 10 // 4 KiB

// cpLarge compares copies of large files. The published copy used blocks of 4 KiB, so sluice takes
// part twice: with 4 KiB and with its own block size.
var cpLarge = copyExperiment{
	name:    "cp-large",
	summary: "copies of 780 files of 1 MiB: in memory, cold and durable",
	shape:   largeFiles,
	quick:   3,
	modes: []copyMode{
		regular.beside(inSmallBlocks).with(copyFigure{subject: smallBlocks, text: "with blocks of 4 KiB the concurrent copy does not beat cp -r"}),
		cold.beside(inSmallBlocksSyncfs).with(copyFigure{subject: smallBlocks, text: "with blocks of 4 KiB the concurrent copy loses to cp -r, even in this mode"}),
	},
}.experiment()

// smallBlocks is the name of sluice with the small block.
const smallBlocks = "sluice 4 KiB"

func inSmallBlocks(p Params) []copies.Contender {
	return []copies.Contender{p.inBlocks(smallBlock)}
}

func inSmallBlocksSyncfs(p Params) []copies.Contender {
	return []copies.Contender{p.inBlocks(smallBlock, "--sync=fs")}
}
