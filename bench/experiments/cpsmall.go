package experiments

import "github.com/sluiceio/sluice/bench/internal/tree"

// cpSmallShape is the published tree: "depth 5, 7 files a directory". The published totals are
// 97,655 files in 19,531 directories, so it is five files and five subdirectories in each directory
// of seven levels.
var cpSmallShape = tree.Shape{Levels: 7, Width: 5, FileSize: 4 << 10}

// cpSmall compares copies of many small files in all three modes. Most of the cost is creating
// files and, when cold, reading them.
var cpSmall = copyExperiment{
	name:    "cp-small",
	summary: "copies of 97,655 files of 4 KiB: in memory, cold, durable",
	shape:   cpSmallShape,
	quick:   6,
	modes: []copyMode{
		regular.with(copyFigure{base: 2.910, text: "GNU cp -r 2.910 s (330 MB/s), a sequential copy by eio 8.8 s (109 MB/s); the concurrent one does not beat cp -r"}),
		cold.with(copyFigure{base: 30.421, wins: true, text: "GNU cp -r 30.421 s (32 MB/s); eio's concurrent copy beats it"}),
		everyFsync,
	},
}.experiment()
