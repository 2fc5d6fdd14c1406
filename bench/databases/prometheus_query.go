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

// querySides has the ways to read chunks. Other ways are compared with the first: touched mapped
// memory, without the read-ahead of page faults. So the ways differ only in which waits: a
// processor or a goroutine.
var querySides = []load.Side{
	{Name: "mmap, MADV_RANDOM", Way: load.ByMmap},
	{Name: "package mapped", Way: load.ByMapped},
	{Name: "os.File.ReadAt", Way: load.ByOS},
	{Name: "Prometheus' own mmap", Way: load.ByGoBuild},
}

// opener returns the function by which a way opens a file of chunks, or nil for Prometheus's own.
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

// query is the database of Prometheus that clients query.
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
	o.WALSegmentSize = -1   // nothing is appended, so there is no log
	o.RetentionDuration = 0 // keeps all blocks
	if open != nil {
		// Queries come after openQuery, which sets q.segments.
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

// prepare opens the files of chunks, and brings memory into a lasting state. The indexes are in
// memory, as in a server with constant queries, and chunks have the rest.
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
	// Of one block.
	first := random.IntN(q.days)*samplesInDay + random.IntN(samplesInDay-samplesInQuery+1)
	querier, err := q.Querier(timeOf(first), timeOf(first+samplesInQuery-1))
	if err != nil {
		return err
	}
	err = wantSamples(querier.Select(context.Background(), false, nil, matchers(series)...), series, first)
	return errors.Join(err, querier.Close())
}

// matchers returns the matchers of a series.
func matchers(series int) []*labels.Matcher {
	return []*labels.Matcher{
		labels.MustNewMatcher(labels.MatchEqual, nameLabel, metric),
		labels.MustNewMatcher(labels.MatchEqual, sensorLabel, seriesName(series)),
	}
}

// wantSamples returns an error unless set has exactly the samples of a query.
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
