package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// The settings of sequential reads are compared with an ordinary program's scan: 4 KiB at a time
// through a page cache that does not hold the file.
var (
	scanBuffered = setting("scan-buffered", "sequential reads of 4 KiB through a cold page cache",
		func(p Params) race {
			return race{
				title: "sequential 4 KiB reads, page cache, cold",
				entries: []duel.Entry{
					scanBase,
					entry(load.ScanCold, scanSmall, 1, p.sluiceBy(fileRow, load.BySluice)),
				},
				subject: fileRow,
				checks:  []check{{fileRow, osBuffered}, {fileRow, fioRow}},
				figure:  &figure{text: "945.14 MB/s (56 s)", rate: bufferedScan},
			}
		})
	scanDirect = setting("scan-direct", "a stream of direct reads, 4 KiB buffers, no read-ahead",
		func(p Params) race {
			r := p.scan(scanSmall, 1, readerRow, "463.23 MB/s (115 s), 0.49 times the buffered scan", 463.23e6,
				entry(load.ScanDirect, scanSmall, 1, osFile(osDirect)),
				p.reader(scanSmall, 1))
			r.checks = []check{{readerRow, osDirect}, {readerRow, fioRow}}
			return r
		})
	scanDirectRA = setting("scan-direct-ra", "direct reads of 4 KiB with read-ahead, through io.Reader",
		func(p Params) race {
			return p.scan(scanSmall, scanAhead, readerRow, "2.35 GB/s (22 s), 2.49 times the buffered scan", 2.35e9,
				p.reader(scanSmall, scanAhead))
		})
	scanDirectZC = setting("scan-direct-zc", "direct reads of 4 KiB with read-ahead, no copy, by Next",
		func(p Params) race {
			return p.scan(scanSmall, scanAhead, nextRow, "2.45 GB/s (21 s), 2.59 times the buffered scan", 2.45e9,
				p.reader(scanSmall, scanAhead), p.next(scanSmall, scanAhead))
		})
	scanDirect512k = setting("scan-direct-512k", "a stream of direct reads, 512 KiB x 5, without a copy",
		func(p Params) race {
			r := p.scan(scanLarge, scanLargeAhead, nextRow,
				"7.29 GB/s (7 s), 7.71 times the buffered scan, never more than 2.5 MB of buffers", 7.29e9,
				entry(load.ScanCold, scanLarge, 1, osFile(osLarge)),
				p.reader(scanLarge, scanLargeAhead), p.next(scanLarge, scanLargeAhead))
			r.checks = append([]check{{nextRow, osLarge}}, r.checks...)
			r.figure.buffers = scanLarge * scanLargeAhead
			return r
		})
)

// The published parameters. The publication omits the number of read-ahead buffers of
// scanSmall, so scanAhead is taken from its program: examples/storage.rs of Glommio has
// with_read_ahead(50) since its first version, of November 2020.
const (
	scanSmall      = 4 << 10   // 4 KiB
	scanLarge      = 512 << 10 // 512 KiB
	scanAhead      = 50        // read-ahead buffers of scanSmall
	scanLargeAhead = 5         // read-ahead buffers of scanLarge
	bufferedScan   = 945.14e6  // bytes a second
)

const (
	readerRow = "sluice Reader"
	nextRow   = "sluice Next"
	osLarge   = "os.File, 512 KiB" // buffered
)

var scanBase = entry(load.ScanCold, scanSmall, 1, osFile(osBuffered))

func (p Params) reader(size, ahead int) duel.Entry {
	return entry(load.ScanDirect, size, ahead, p.sluiceBy(readerRow, load.ByReader))
}

func (p Params) next(size, ahead int) duel.Entry {
	return entry(load.ScanDirect, size, ahead, p.sluiceBy(nextRow, load.ByNext))
}

// scan returns a race of a stream with O_DIRECT against scanBase.
func (p Params) scan(size, ahead int, subject, text string, rate float64, entries ...duel.Entry) race {
	return race{
		title:   fmt.Sprintf("sequential, O_DIRECT, %s x %d, against 4 KiB reads, cold", report.Bytes(int64(size)), ahead),
		entries: append([]duel.Entry{scanBase}, entries...),
		subject: subject,
		checks:  []check{{subject, osBuffered}, {nextRow, readerRow}, {subject, fioRow}},
		figure:  &figure{text: text, rate: rate, base: bufferedScan},
	}
}
