package experiments

import (
	"github.com/sluiceio/sluice/cmd/sluice/internal/duel"
	"github.com/sluiceio/sluice/cmd/sluice/internal/load"
)

// The sequential settings. Their base is the scan that every program makes.
var scanBuffered = setting("scan-buffered", "sequential reads of 4 KiB through a cold page cache",
	func(p Params) race {
		return race{
			title: "sequential 4 KiB reads, page cache, cold",
			entries: []duel.Entry{
				entry(load.ScanCold, scanSize, 1, osFile(osBuffered)),
				entry(load.ScanCold, scanSize, 1, p.sluiceBy(fileRow, load.BySluice)),
			},
			subject: fileRow,
			checks:  []check{{fileRow, osBuffered}, {fileRow, fioRow}},
			figure:  &figure{text: "945.14 MB/s (56 s)", rate: 945.14e6},
		}
	})

const scanSize = 4 << 10 // 4 KiB
