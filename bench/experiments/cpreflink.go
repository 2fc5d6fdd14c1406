package experiments

import "github.com/sluiceio/sluice/bench/internal/copies"

// cpReflink copies many small files whose data is shared with the copy, on xfs if
// the user does not say where. It was not published.
var cpReflink = copying{
	name:    "cp-reflink",
	summary: "copies of 97,655 files that share their data (reflinks)",
	shape:   cpSmallShape,
	quick:   6,
	kind:    "xfs",
	modes: []copyMode{{
		Mode: copies.Mode{Name: "regular"}, title: "the source in memory, the copy's data the source's",
		programs: sharing, rounds: 10, warm: true,
	}},
}.experiment()
