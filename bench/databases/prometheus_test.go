package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"

	"github.com/sluiceio/sluice/bench/internal/cgroup"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// twoDays is the number of records of a database of two blocks.
const twoDays = 2 * dayBytes / valueSize

// fillTwoDays makes a database of two blocks.
func fillTwoDays(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := fillQuery(dir, twoDays); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestQuery queries a database in each way. Every query checks its samples.
func TestQuery(t *testing.T) {
	dir := fillTwoDays(t)
	for _, side := range querySides {
		t.Run(side.Name, func(t *testing.T) {
			setup := load.Setup{Path: dir, Side: side, Load: load.Load{Goroutines: 4, Records: twoDays}}
			w, err := readers[0].begin(setup)
			if err != nil {
				t.Fatal(err)
			}
			slice, err := w.Run(load.SliceReq{Time: 100 * time.Millisecond, Seed: 1})
			if err != nil {
				t.Error(err)
			}
			if slice.Ops <= 0 {
				t.Errorf("%v operations; want some", slice.Ops)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestQueryWrong checks that a wrong sample, a missing one and an extra one are errors.
func TestQueryWrong(t *testing.T) {
	q := &query{days: 2}
	var err error
	if q.DB, err = tsdb.Open(fillTwoDays(t), nil, nil, &tsdb.Options{WALSegmentSize: -1}, nil); err != nil {
		t.Fatal(err)
	}
	defer q.DB.Close()
	ask := func(series, first, from, n int) error {
		querier, err := q.Querier(timeOf(from), timeOf(from+n-1))
		if err != nil {
			t.Fatal(err)
		}
		defer querier.Close()
		return wantSamples(querier.Select(t.Context(), false, nil, matchers(series)...), series, first)
	}
	if err := ask(7, 100, 100, samplesInQuery); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"of another time": ask(7, 100, 101, samplesInQuery),
		"one too few":     ask(7, 100, 100, samplesInQuery-1),
		"one too many":    ask(7, 100, 100, samplesInQuery+1),
		"no such series":  ask(seriesInBlock, 100, 100, samplesInQuery),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if sampleOf(7, 100) == sampleOf(8, 100) && sampleOf(7, 101) == sampleOf(8, 101) {
		t.Error("two series have the same samples")
	}
}

// counted is a segment that counts its Loads.
type counted struct {
	segment
	loads *atomic.Int64
}

func (c counted) Load(off, n int64) ([]byte, error) {
	c.loads.Add(1)
	return c.segment.Load(off, n)
}

// TestQueryHook checks that each chunk of a query is loaded, and that an error of a Load is the
// query's.
func TestQueryHook(t *testing.T) {
	dir := fillTwoDays(t)
	var loads atomic.Int64
	q := &query{days: 2}
	o := tsdb.DefaultOptions()
	o.WALSegmentSize, o.RetentionDuration = -1, 0
	o.BlockQuerierFunc = func(b tsdb.BlockReader, mint, maxt int64) (storage.Querier, error) {
		return q.segments.querier(b, mint, maxt)
	}
	var err error
	if q.DB, err = tsdb.Open(dir, nil, nil, o, nil); err != nil {
		t.Fatal(err)
	}
	defer q.DB.Close()
	q.segments, err = openSegments(q.Blocks(), func(name string) (segment, error) {
		l, err := openMapped(name)
		return counted{l, &loads}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	const queries = 10
	random := rand.New(rand.NewPCG(1, 2))
	for range queries {
		if err := q.do(0, random); err != nil {
			t.Fatal(err)
		}
	}
	// An hour is in two or three chunks. Each takes two Loads.
	if n := loads.Load(); n < queries*4 || n > queries*6 {
		t.Errorf("%d queries made %d Loads; want 4 to 6 each", queries, n)
	}
	if err := q.segments.Close(); err != nil {
		t.Fatal(err)
	}
	if err := q.do(0, random); err == nil || !strings.Contains(err.Error(), "already closed") {
		t.Errorf("a query with closed files: %v; want that error", err)
	}
}

// TestQueryBlocks checks that a database of another size is an error.
func TestQueryBlocks(t *testing.T) {
	setup := load.Setup{Side: querySides[0], Load: load.Load{Records: 3 * dayBytes / valueSize}}
	db, err := openQuery(fillTwoDays(t), setup)
	if err == nil {
		db.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "has 2 blocks; want 3") {
		t.Errorf("openQuery = %v; want an error", err)
	}
}

// TestLockMaps checks that a file without mappings is an error.
func TestLockMaps(t *testing.T) {
	if err := lockMaps("no such file"); err == nil || !strings.Contains(err.Error(), "nothing is mapped") {
		t.Errorf("lockMaps = %v; want an error", err)
	}
}

// TestLimited measures the ways in new processes, with memory for a quarter of the data.
func TestLimited(t *testing.T) {
	const size = 256 << 20 // 256 MiB
	group, err := cgroup.Memory(size / inMemory)
	if err != nil {
		skip.For(t, skip.Cgroup, err)
	}
	defer func() {
		if err := group.Close(); err != nil {
			t.Error(err)
		}
	}()
	exe, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	c := *readers[0]
	c.goroutines = []int{16}
	p := &place{options: options{size: size, time: 50 * time.Millisecond, rounds: 1}, dir: t.TempDir(), plain: exe, group: group}
	var rows []wayRow
	err = p.measure(context.Background(), &c, func(goroutines int, results []*duel.Result) {
		rows = append(rows, newWayRows(&c, goroutines, results)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	writeWays(&page, form(p.options, "a machine", time.Unix(0, 0)), "4 KiB", rows)
	for _, side := range querySides {
		if want := "| prometheus-query | 16 | " + side.Name + " | "; !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, page.String())
		}
	}
	t.Log(page.String())
}
