package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// records is the size of the test's database.
const records = 3000

// newDatabase makes a database with a worker, and returns its path.
func newDatabase(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	p := begun(t, load.PebbleLoad, load.Side{Way: load.ByPebble}, path, func(l *load.Load) { l.Size = valueSize })
	for done := 0.0; done < records; {
		s, err := p.Run(load.SliceReq{Time: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if s.Ops <= done {
			t.Fatalf("%v records after a slice; there were %v before", s.Ops, done)
		}
		done = s.Ops
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func setup(kind load.Kind, side load.Side, path string) load.Setup {
	return load.Setup{Path: path, Side: side, Prepared: true, Load: load.Load{
		Kind: kind, Size: valueSize, Goroutines: 4, Records: records, Cache: 1 << 20,
	}}
}

func begun(t *testing.T, kind load.Kind, side load.Side, path string, change func(*load.Load)) load.Performer {
	t.Helper()
	s := setup(kind, side, path)
	if change != nil {
		change(&s.Load)
	}
	p, err := begin(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sides are all ways, with a class and without.
var sides = []load.Side{
	{Way: load.ByPebble},
	{Way: load.ByPebbleBuild},
	{Way: load.ByPebbleBuffer},
	{Way: load.ByPebbleBuffer, Class: load.Background},
	{Way: load.ByPebbleHybrid, Class: load.Background},
	{Way: load.ByPebbleDirect},
}

// slice is long enough for some operations. Each client makes one at least, however busy the
// machine is.
var slice = load.SliceReq{Lead: time.Millisecond, Time: 100 * time.Millisecond, Seed: 7}

// TestKinds performs each kind through each side. The database must be unchanged afterwards, and no
// other file may remain.
func TestKinds(t *testing.T) {
	path := newDatabase(t)
	before := list(t, path)
	for _, kind := range []load.Kind{load.PebbleGet, load.PebbleScan, load.PebbleSync, load.PebbleCompact} {
		for _, side := range sides {
			t.Run(string(kind)+"/"+string(side.Way)+"/"+side.Class, func(t *testing.T) {
				p := begun(t, kind, side, path, nil)
				s, err := p.Run(slice)
				if err != nil {
					t.Fatal(err)
				}
				if s.Ops <= 0 || s.P50 <= 0 || s.P999 < s.P50 {
					t.Errorf("slice = %+v; want operations and latencies", s)
				}
				// In a short slice a compaction may write nothing.
				if s.Compaction < 0 || s.Compaction > 0 && kind != load.PebbleCompact {
					t.Errorf("a compaction wrote %v bytes a second", s.Compaction)
				}
				ours := side.Way != load.ByPebble && side.Way != load.ByPebbleBuild
				if (p.Explain() != "") != ours || (p.Stats() != nil) != ours {
					t.Errorf("sluice says %q, %v; want something: %v", p.Explain(), p.Stats(), ours)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	if after := list(t, path); after != before {
		t.Errorf("the database has now:\n%s\nwant:\n%s", after, before)
	}
	if beside := list(t, filepath.Dir(path)); beside != "db" {
		t.Errorf("beside the database is %q; want it alone", beside)
	}
}

// list returns the names in a directory.
func list(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, "\n")
}

// TestFirstWorker has the worker that tries a load, and a later worker. Later workers must fail if
// records are missing.
func TestFirstWorker(t *testing.T) {
	path := newDatabase(t)
	s := setup(load.PebbleGet, load.Side{Way: load.ByPebble}, path)
	for _, s.Prepared = range []bool{false, true} {
		p, err := begin(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	s.Load.Records = 1 << 30 // the next worker reads some of them
	if _, err := begin(s); err == nil || !strings.Contains(err.Error(), "reading record ") {
		t.Errorf("begin with records that are not there = %v; want an error that names one", err)
	}
}

// TestErrors has loads that cannot be performed.
func TestErrors(t *testing.T) {
	stock := load.Side{Way: load.ByPebble}
	none := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		name   string
		kind   load.Kind
		side   load.Side
		change func(*load.Load)
		want   string
	}{
		{"no database", load.PebbleGet, stock, nil, none},
		{"another kind", load.ReadDirect, stock, nil, `unknown kind of load "read-direct"`},
		{"a new kind", "pebble-delete", stock, nil, `unknown kind of load "pebble-delete"`},
		{"another way", load.PebbleGet, load.OSFile, nil, `unknown way "os"`},
		{"no driver", load.PebbleGet, load.Side{Way: load.ByPebbleBuffer, Driver: "tape"}, nil, `"tape"`},
		{"size", load.PebbleGet, stock, func(l *load.Load) { l.Size = 10 }, "10 bytes; want at least 1000"},
		{"goroutines", load.PebbleGet, stock, func(l *load.Load) { l.Goroutines = 0 }, "0 goroutines"},
		{"records", load.PebbleGet, stock, func(l *load.Load) { l.Records = 0 }, "0 records"},
		{"cache", load.PebbleGet, stock, func(l *load.Load) { l.Cache = 0 }, "cache of 0 bytes"},
	} {
		s := setup(c.kind, c.side, none)
		s.Prepared = c.name != "no database"
		if c.change != nil {
			c.change(&s.Load)
		}
		if _, err := begin(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: begin = %v; want an error with %q", c.name, err, c.want)
		}
	}
}

// TestServe sends the worker a request that it cannot perform.
func TestServe(t *testing.T) {
	var out strings.Builder
	err := load.ServeBy(strings.NewReader(`{"setup":{"path":"x","load":{"kind":"pebble-get"}}}`), &out, begin)
	if err != nil || !strings.HasPrefix(out.String(), `{"error":"size of an operation is 0 bytes`) {
		t.Errorf("Serve = %v, answered %q", err, out.String())
	}
}

// TestCompactionEnds checks that a slice ends before the compaction beside it.
func TestCompactionEnds(t *testing.T) {
	path := newDatabase(t)
	p := begun(t, load.PebbleCompact, load.Side{Way: load.ByPebbleHybrid, Class: load.Background}, path, func(l *load.Load) {
		l.Pace = 1 << 10 // the compaction would take 50 minutes
	})
	_, err := p.Run(slice)
	if err := errors.Join(err, p.Close()); err != nil {
		t.Error(err)
	}
}
