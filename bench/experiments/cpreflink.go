package experiments

import "github.com/sluiceio/sluice/bench/internal/copies"

// cpReflink compares copies of many small files that share data with the source (reflinks). The
// file system is xfs unless the user names another. No data is written, so it measures the cost of
// creating files. It was not published.
var cpReflink = copyExperiment{
	name:    "cp-reflink",
	summary: "copies of 97,655 files that share their data (reflinks)",
	shape:   cpSmallShape,
	quick:   6,
	kind:    "xfs",
	modes: []copyMode{{
		Mode: copies.Mode{Name: "regular"}, title: "the source in memory, the copy's data the source's",
		programs: reflinkPrograms, rounds: 10, warm: true,
	}},
}.experiment()
