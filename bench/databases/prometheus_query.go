package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// querySides are the ways to read chunks. The rows of a table are compared with the first: mapped memory
// that is touched, but without the read-ahead of page faults. So the readers differ only in what waits: a
// processor or a goroutine.
var querySides = []load.Side{
	{Name: "mmap, MADV_RANDOM", Way: load.ByMmap},
	{Name: "package mapped", Way: load.ByMapped},
	{Name: "os.File.ReadAt", Way: load.ByOS},
	{Name: "Prometheus' own mmap", Way: load.ByGoBuild},
}

// opener returns how a way opens a file of chunks; nil leaves it to Prometheus.
func opener(way load.Way) (func(name string) (segment, error), error) {
	switch way {
	case load.ByGoBuild:
		return nil, nil
	case load.ByMapped:
		return func(name string) (segment, error) { return openMapped(name) }, nil
	case load.ByMmap:
		return func(name string) (segment, error) {
			s, err := openMapped(name)
			return touchedSegment{s}, err
		}, nil
	case load.ByOS:
		return openRead, nil
	}
	return nil, fmt.Errorf("%q is no way to read chunks", way)
}

// query is the database of Prometheus, which clients query.
type query struct {
	*tsdb.DB
	segments segments
	days     int
}

func openQuery(dir string, s load.Setup) (database, error) {
	open, err := opener(s.Side.Way)
	if err != nil {
		return nil, err
	}
	q := &query{}
	o := tsdb.DefaultOptions()
	o.WALSegmentSize = -1   // nothing is appended: there is no log
	o.RetentionDuration = 0 // all blocks are kept
	if open != nil {
		// A query comes after openQuery, which sets q.segments.
		o.BlockQuerierFunc = func(b tsdb.BlockReader, mint, maxt int64) (storage.Querier, error) {
			return q.segments.querier(b, mint, maxt)
		}
	}
	if q.DB, err = tsdb.Open(dir, nil, nil, o, nil); err != nil {
		return nil, err
	}
	if err := q.prepare(dir, s, open); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// prepare opens the files of chunks, and brings memory into a state that lasts: the indexes are in memory,
// as those of a server that is queried all the time, and chunks have the rest.
func (q *query) prepare(dir string, s load.Setup, open func(string) (segment, error)) (err error) {
	q.DisableCompactions()
	q.days = len(q.Blocks())
	if want := daysOf(s.Load.Records); q.days != want {
		return fmt.Errorf("the database has %d blocks; want %d", q.days, want)
	}
	if open != nil {
		if q.segments, err = openSegments(q.Blocks(), open); err != nil {
			return err
		}
	}
	if err := lockMaps("index"); err != nil {
		return err
	}
	return fillMemory(dir, "chunks")
}

func (q *query) Close() error { return errors.Join(q.segments.Close(), q.DB.Close()) }

// do queries an hour of a series, and checks each sample.
func (q *query) do(_ int, random *rand.Rand) error {
	series := random.IntN(seriesInBlock)
	first := random.IntN(q.days)*samplesInDay + random.IntN(samplesInDay-samplesInQuery+1) // of one block
	querier, err := q.Querier(timeOf(first), timeOf(first+samplesInQuery-1))
	if err != nil {
		return err
	}
	err = wantSamples(querier.Select(context.Background(), false, nil, matchers(series)...), series, first)
	return errors.Join(err, querier.Close())
}

// matchers select a series.
func matchers(series int) []*labels.Matcher {
	return []*labels.Matcher{
		labels.MustNewMatcher(labels.MatchEqual, nameLabel, metric),
		labels.MustNewMatcher(labels.MatchEqual, sensorLabel, seriesName(series)),
	}
}

// wantSamples returns an error unless set has the samples of a query, and no others.
func wantSamples(set storage.SeriesSet, series, first int) error {
	i, end := first, first+samplesInQuery
	for set.Next() {
		it := set.At().Iterator(nil)
		for it.Next() == chunkenc.ValFloat {
			if t, v := it.At(); i == end || t != timeOf(i) || v != sampleOf(series, i) {
				return fmt.Errorf("sensor %d, sample %d: %v at %d; want %v at %d, up to sample %d", series, i, v, t, sampleOf(series, i), timeOf(i), end)
			}
			i++
		}
		if err := it.Err(); err != nil {
			return err
		}
	}
	if err := set.Err(); err != nil {
		return err
	}
	if i != end {
		return fmt.Errorf("sensor %d: %d samples; want %d", series, i-first, samplesInQuery)
	}
	return nil
}
