package experiments

import "github.com/sluiceio/sluice/bench/internal/copies"

// cpReflink compares copies of many small files that share their data with the source (reflinks),
// on xfs unless the user names a file system. It was not published. Without data to write, it
// measures what creating files costs.
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
