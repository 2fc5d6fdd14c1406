package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/VictoriaMetrics/lib/prompb"
	"github.com/VictoriaMetrics/VictoriaMetrics/lib/storage"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// A series has victoriaSamples samples, one every victoriaStep. A query asks for victoriaQuery of
// them, and AddRows gets victoriaRows.
const (
	victoriaSamples = 1250
	victoriaStep    = 30 * time.Second
	victoriaQuery   = 1000
	victoriaRows    = 1000
	victoriaBits    = 64 // of precision: all
)

// sampleSize is the size of a sample of random bits on disk.
const sampleSize = 8

// victoriaSeries returns the number of series.
func victoriaSeries(records int) int { return max(1, records*valueSize/sampleSize/victoriaSamples) }

// victoriaStart is the time of the first samples. All are in one month.
var victoriaStart = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)

// victoria is the storage of VictoriaMetrics.
type victoria struct {
	*storage.Storage
	series int      // for queries
	names  [][]byte // of the series of each client that appends
	now    []int64  // the time of the last rows of each client, in milliseconds
}

func victoriaName(metric string, series int) []byte {
	return storage.MarshalMetricNameRaw(nil, []prompb.Label{
		{Name: "__name__", Value: metric}, {Name: "series", Value: strconv.Itoa(series)},
	})
}

func openVictoriaIn(dir string) (*storage.Storage, error) {
	const retention = 10 * 365 * 24 * time.Hour // longer than since victoriaStart
	if !flag.Parsed() {                         // its packages want that
		if err := flag.CommandLine.Parse(nil); err != nil {
			return nil, err
		}
	}
	if err := flag.Set("loggerLevel", "ERROR"); err != nil {
		return nil, err
	}
	return storage.MustOpenStorage(dir, storage.OpenOptions{Retention: retention}), nil
}

func fillVictoria(dir string, records int) error {
	s, err := openVictoriaIn(dir)
	if err != nil {
		return err
	}
	defer s.MustClose()
	addVictoria(s, records)
	return s.ForceMergePartitions("")
}

// fillVictoriaParts makes a storage that is not merged as a whole.
func fillVictoriaParts(dir string, records int) error {
	s, err := openVictoriaIn(filepath.Join(dir, victoriaParts))
	if err != nil {
		return err
	}
	addVictoria(s, records)
	s.MustClose()
	return nil
}

// victoriaParts is the directory of the storage of fillVictoriaParts.
const victoriaParts = "parts"

// addVictoria adds all samples.
func addVictoria(s *storage.Storage, records int) {
	names := make([][]byte, victoriaSeries(records))
	for i := range names {
		names[i] = victoriaName("metric", i)
	}
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([]storage.MetricRow, len(names))
	for i := range victoriaSamples {
		now := victoriaStart.Add(time.Duration(i) * victoriaStep).UnixMilli()
		for j, name := range names {
			rows[j] = storage.MetricRow{MetricNameRaw: name, Timestamp: now, Value: random.Float64()}
		}
		s.AddRows(rows, victoriaBits)
	}
	s.DebugFlush()
}

// openVictoria opens a storage for queries.
func openVictoria(dir string, s load.Setup) (database, error) {
	st, err := openVictoriaIn(dir)
	return victoriaQueries{&victoria{Storage: st, series: victoriaSeries(s.Load.Records)}}, err
}

// victoriaQueries performs queries.
type victoriaQueries struct{ *victoria }

// do reads victoriaQuery samples of one series.
func (v victoriaQueries) do(_ int, random *rand.Rand) error {
	const mostSeries, noDeadline = 10, 1<<64 - 1
	filters := storage.NewTagFilters()
	for _, f := range [][2]string{{"", "metric"}, {"series", strconv.Itoa(random.IntN(v.series))}} {
		if err := filters.Add([]byte(f[0]), []byte(f[1]), false, false); err != nil {
			return err
		}
	}
	first := victoriaStart.Add(time.Duration(random.IntN(victoriaSamples-victoriaQuery)) * victoriaStep)
	tr := storage.TimeRange{MinTimestamp: first.UnixMilli(), MaxTimestamp: first.Add((victoriaQuery - 1) * victoriaStep).UnixMilli()}
	var search storage.Search
	search.Init(nil, v.Storage, []*storage.TagFilters{filters}, tr, mostSeries, noDeadline)
	defer search.MustClose()
	var times []int64
	var values []float64
	for search.NextMetricBlock() {
		var block storage.Block
		search.MetricBlockRef.BlockRef.MustReadBlock(&block)
		if err := block.UnmarshalData(); err != nil {
			return err
		}
		times, values = block.AppendRowsWithTimeRangeFilter(times, values, tr)
	}
	if err := search.Error(); err != nil {
		return err
	}
	if len(values) != victoriaQuery {
		return fmt.Errorf("a query has %d samples; want %d", len(values), victoriaQuery)
	}
	return nil
}

// Close closes the storage.
func (v *victoria) Close() error {
	v.MustClose()
	return nil
}

// openVictoriaAdd opens an empty storage.
func openVictoriaAdd(dir string, s load.Setup) (database, error) {
	st, err := openVictoriaIn(dir)
	if err != nil {
		return nil, err
	}
	v := &victoria{Storage: st, now: make([]int64, s.Load.Goroutines)}
	for i := range s.Load.Goroutines {
		v.now[i] = victoriaStart.UnixMilli()
		for j := range victoriaRows {
			v.names = append(v.names, victoriaName("client"+strconv.Itoa(i), j))
		}
	}
	return victoriaAdds{v}, nil
}

// victoriaAdds appends.
type victoriaAdds struct{ *victoria }

// do adds a row to each of a client's series.
func (v victoriaAdds) do(client int, random *rand.Rand) error {
	v.now[client] += victoriaStep.Milliseconds()
	rows := make([]storage.MetricRow, victoriaRows)
	for i := range rows {
		rows[i] = storage.MetricRow{MetricNameRaw: v.names[client*victoriaRows+i], Timestamp: v.now[client], Value: random.Float64()}
	}
	v.AddRows(rows, victoriaBits)
	return nil
}
