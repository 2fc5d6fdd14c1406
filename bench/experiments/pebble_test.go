package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/database"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// databaseLab has a database that fails, or that counts its Close calls.
type databaseLab struct {
	fakeLab
	err    error
	closed *int
}

func (d databaseLab) Database(_ context.Context, _ load.Load, _ int64, _ string, progress func(string, float64)) (Database, error) {
	progress("making the database", 1)
	return countingDatabase{d.fakeLab, d.closed}, d.err
}

type countingDatabase struct {
	comparer
	closed *int
}

func (c countingDatabase) Close() error { *c.closed++; return nil }

// TestPebbleDatabase checks that the database is removed, and the message if there is none.
func TestPebbleDatabase(t *testing.T) {
	closed := 0
	if _, _, err := run(t, pebble, databaseLab{closed: &closed}, Params{}); err != nil || closed != 1 {
		t.Errorf("Run = %v, closed %d times; want once", err, closed)
	}
	closed = 0
	lab := databaseLab{fakeLab: fakeLab{fail: "pebble-get/1000/64"}, closed: &closed}
	result, _, err := run(t, pebble, lab, Params{})
	if n := len(result.(*PebbleResult).Cells); err == nil || closed != 1 || n != 1 {
		t.Errorf("Run = %v, closed %d times, %d cells; want an error, once, the one before", err, closed, n)
	}
	_, _, err = run(t, pebble, databaseLab{err: errors.New("no space left on device")}, Params{})
	if err == nil || err.Error() != "pebble: no space left on device" {
		t.Errorf("Run = %v; want the reason", err)
	}
	reason := fmt.Errorf("%w: there are none", database.ErrMissing)
	result, text, err := run(t, pebble, databaseLab{err: reason}, Params{})
	if err != nil || !strings.HasPrefix(text, "pebble: not measured: it takes root") {
		t.Errorf("Run = %v, printed %q; want that it is not measured", err, text)
	}
	if err := NothingMeasured(map[string]any{pebbleName: result}); err == nil || err.Error() != "nothing could be measured: "+reason.Error() {
		t.Errorf("NothingMeasured = %v; want the reason", err)
	}
}

// TestPebbleData checks the sizes of the database and of memory.
func TestPebbleData(t *testing.T) {
	for _, test := range []struct {
		p            Params
		data, memory int64
	}{
		{Params{}, 1 << 30, 256 << 20},
		{Params{Full: true}, 4 << 30, 1 << 30},
		{Params{Full: true, Size: 2 << 30}, 2 << 30, 512 << 20},
		{Params{Size: 8 << 20}, 8 << 20, 128 << 20},
	} {
		if data, memory := test.p.pebbleData(); data != test.data || memory != test.memory {
			t.Errorf("%+v: %d bytes with a memory of %d; want %d, %d", test.p, data, memory, test.data, test.memory)
		}
	}
}

// TestPebbleHead checks the line about a database that fits into memory.
func TestPebbleHead(t *testing.T) {
	for data, want := range map[int64]bool{128 << 20: true, 129 << 20: false} {
		if got := (&PebbleResult{Data: data, Memory: 128 << 20}).head(); strings.Contains(got, "fits into memory") != want {
			t.Errorf("with %d bytes: %q; want that it fits: %t", data, got, want)
		}
	}
}

// TestPebbleVerdicts checks figures on both sides of their targets.
func TestPebbleVerdicts(t *testing.T) {
	side := func(way load.Way, threads, rounds int, ratio, p99, p999 float64) PebbleSide {
		return PebbleSide{
			Ratio: stats.Number(ratio), P99: stats.Number(p99), P999: stats.Number(p999),
			Result: &duel.Result{Side: load.Side{Name: string(way), Way: way}, Threads: threads, Rounds: slices.Repeat([]load.Slice{{Ops: 1, Elapsed: time.Second}}, rounds)},
		}
	}
	cell := func(kind load.Kind, goroutines int, sides ...PebbleSide) PebbleCell {
		l := load.Load{Kind: kind, Size: pebbleValue, Goroutines: goroutines}
		return PebbleCell{Load: l, Name: l.String(), Sides: append([]PebbleSide{side(load.ByPebble, 90, 8, 1, 1, 1)}, sides...)}
	}
	r := &PebbleResult{Procs: 2, Cells: []PebbleCell{
		cell(load.PebbleGet, 64, side(load.ByPebbleBuffer, 10, 8, 1.8, 0.31, 1), side(load.ByPebbleDirect, 10, 5, 2, 0.3, 1)),
		cell(load.PebbleGet, 256, side(load.ByPebbleBuffer, 10, 8, 1.89, 0.3, 1)),
		cell(load.PebbleCompact, 64, side(load.ByPebbleHybrid, 27, 8, 0.96, 0.6, 0.31)),
	}}
	want := []string{
		"missed: the lowest of all rows has 0.96 times stock's operations, pebble-get+compaction/1000/64 of pebblevfs-hybrid (",
		"missed: pebblevfs has up to 27 threads, pebble-get+compaction/1000/64 of pebblevfs-hybrid (at most GOMAXPROCS + 8, and 16 that wait for the disk: 26)",
		"reached: pebble-get/1000/64 of pebblevfs-buffered has 1.80 times stock's operations",
		"no verdict: pebble-get/1000/64 of pebblevfs-direct has 2.00 times stock's operations",
		"missed: pebble-get/1000/256 of pebblevfs-buffered has 1.89 times",
		"missed: pebble-get/1000/64 of pebblevfs-buffered has 0.31 times stock's p99",
		"no verdict: pebble-get/1000/64 of pebblevfs-direct has 0.30 times stock's p99",
		"reached: pebble-get/1000/256 of pebblevfs-buffered has 0.30 times stock's p99",
		"reached: pebble-get+compaction/1000/64 of pebblevfs-hybrid has 0.60 times stock's p99 ",
		"missed: pebble-get+compaction/1000/64 of pebblevfs-hybrid has 0.31 times stock's p99.9",
	}
	got := r.Verdicts()
	if len(got) != len(want) {
		t.Fatalf("verdicts are %q; want %d", got, len(want))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("verdict %d is %q; want it to begin with %q", i, got[i], want[i])
		}
	}
}
