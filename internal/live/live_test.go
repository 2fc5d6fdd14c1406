package live

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/trace"
)

// scheduler returns a Scheduler that is closed at the end of the test, and a file of 64 KiB on it.
func scheduler(t *testing.T, o sluice.Options) (*sluice.Scheduler, *sluice.File) {
	t.Helper()
	s := testenv.Must1(sluice.NewScheduler(o))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	name := filepath.Join(t.TempDir(), "a <file>")
	if err := os.WriteFile(name, make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, testenv.Must1(s.OpenFile(name, os.O_RDWR, 0))
}

// looked returns the figures of a look while which do runs.
func looked(t *testing.T, do func()) *Figures {
	t.Helper()
	f, err := observe(do)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// count returns how many operations of that name a look has seen.
func count(f *Figures, all []Group, name string) int {
	for _, g := range all {
		if g.Name == name {
			return int(math.Round(g.Rate * f.Seconds))
		}
	}
	return 0
}

// TestCounts: a look counts the operations of each kind, class and file.
func TestCounts(t *testing.T) {
	const reads, writes = 40, 7
	s, file := scheduler(t, sluice.Options{Driver: sluice.DriverPool})
	bulk := testenv.Must1(s.Class("bulk", sluice.ClassOptions{}))
	do := func() {
		b := make([]byte, 512)
		for i := range reads {
			if _, err := file.ReadAt(b, int64(i)*512); err != nil {
				t.Fatal(err)
			}
		}
		for range writes {
			if _, err := file.WriteAtContext(sluice.WithClass(t.Context(), bulk), b, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	do() // before the look
	f := looked(t, do)
	got := 0
	for _, g := range f.Kinds {
		if strings.HasPrefix(g.Name, "read ") {
			got += count(f, f.Kinds, g.Name)
		}
	}
	paths := 0.0
	for _, p := range f.Paths {
		paths += p.Rate * f.Seconds
	}
	if got != reads || count(f, f.Kinds, "write plain") != writes || math.Round(paths) != reads+writes {
		t.Errorf("a look at %d reads and %d writes has kinds %+v, paths %+v", reads, writes, f.Kinds, f.Paths)
	}
	if n := count(f, f.Classes, "bulk"); n != writes || f.Classes[0].Name != "default" {
		t.Errorf("class bulk has %d operations of %+v; want %d, after the default class", n, f.Classes, writes)
	}
	if n := count(f, f.Files, file.Name()); n != reads+writes || len(f.Files) != 1 || f.Files[0].Bytes*f.Seconds < 511.5*(reads+writes) {
		t.Errorf("the files are %+v; want one with %d operations of 512 bytes", f.Files, reads+writes)
	}
	if f.OpenFiles != 1 || f.PID != os.Getpid() || f.Lost != 0 || len(f.Schedulers) != 1 || f.Schedulers[0].Driver != "pool" {
		t.Errorf("the figures are %+v", f)
	}
	if f := looked(t, func() {}); len(f.Kinds) != 0 || f.Classes[0].Rate != 0 {
		t.Errorf("a look at nothing has %+v and %+v; want none", f.Kinds, f.Classes)
	}
	page := string(f.page(Query{}))
	for _, want := range []string{"read ", "write plain", "bulk", "a &lt;file&gt;", `http-equiv="refresh"`, "pool; 1 files open"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "<file>") || strings.Contains(string(f.page(Query{still: true})), "http-equiv") {
		t.Error("the page has a name that is not escaped, or a page that stands still loads itself")
	}
}

// TestJSON compares the JSON form with what encoding/json makes of the struct.
func TestJSON(t *testing.T) {
	f := &Figures{
		Program: "a \"b\"", PID: 7, Go: "go1", Time: time.Now().Round(0), Seconds: 1.25,
		Schedulers: []Scheduler{{"uring", 2, 1, 3, 4, 5, 6, 7, 8, 9}},
		Paths:      []Path{{"plain", 1, 2, 3.5}},
		Kinds:      []Group{{"read queued", 1, 2, 3.5, 4.5, 5.5, 6, 7, 8}},
		Devices:    []Device{{"nvme0n1", 1, 2, 3, 4, 5}},
		Classes:    []Group{{Name: "default"}},
		Files:      []Group{},
		OpenFiles:  1, FilesLeft: 2, Lost: 3,
	}
	var got, want any
	text, err := json.Marshal(f)
	if err := errors.Join(err, json.Unmarshal(text, &want), json.Unmarshal(f.JSON(), &got)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("JSON is %s; want %s", f.JSON(), text)
	}
}

// TestInFlight: reads that wait for the disk are in flight by path, device, class and file.
func TestInFlight(t *testing.T) {
	hang.Watch(t)
	const readers = 8
	testenv.EachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *testenv.Holding) {
		name := filepath.Join(t.TempDir(), "file")
		w := testenv.Must1(os.Create(name)) // by package os: the driver would hold a write back
		_, err := w.Write(make([]byte, readers<<20))
		if err := errors.Join(err, w.Sync(), w.Close()); err != nil {
			t.Fatal(err)
		}
		f := testenv.Must1(s.Open(name))
		defer f.Close()
		if err := testenv.DropCache(int(f.Fd())); err != nil {
			skip.Forf(t, skip.Platform, "the page cache cannot be dropped: %v", err)
		}
		ended := make(chan error)
		for i := range int64(readers) {
			go func() {
				_, err := f.ReadAt(make([]byte, 100), i<<20)
				ended <- err
			}()
		}
		held := d.Wait(t, s, readers)
		found := looked(t, func() {})
		if n := found.Paths[1].InFlight + found.Paths[2].InFlight; n == 0 || len(found.Devices) == 0 {
			t.Errorf("%d reads in flight are paths %+v, devices %+v; want some", readers, found.Paths, found.Devices)
		}
		if len(found.Files) != 1 || found.Files[0].Name != name || found.Files[0].InFlight < held {
			t.Errorf("%d reads in flight are files %+v", held, found.Files)
		}
		d.Release(t)
		for range readers {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if found := looked(t, func() {}); len(found.Files) != 0 || found.Paths[2].InFlight != 0 {
			t.Errorf("nothing in flight is files %+v, paths %+v", found.Files, found.Paths)
		}
	})
}

// TestOwnRecorder: a look takes nothing from the program's Recorder, started or not.
func TestOwnRecorder(t *testing.T) {
	own := testenv.Must1(trace.New(trace.Options{}))
	_, file := scheduler(t, sluice.Options{Driver: sluice.DriverPool, Recorder: own})
	read := func() {
		if _, err := file.ReadAt(make([]byte, 1), 0); err != nil {
			t.Fatal(err)
		}
	}
	f := looked(t, read)
	if n := count(f, f.Files, file.Name()); n != 1 || len(own.Trace().Ops) != 0 {
		t.Errorf("the look has %d operations, and a stopped Recorder %d; want 1 and 0", n, len(own.Trace().Ops))
	}
	own.Start()
	f = looked(t, read)
	if n := count(f, f.Files, file.Name()); n != 1 || len(own.Trace().Ops) != 1 {
		t.Errorf("the look has %d operations, and the Recorder %d; want 1 and 1", n, len(own.Trace().Ops))
	}
	read()
	if len(own.Trace().Ops) != 2 {
		t.Errorf("after the look the Recorder has %d operations; want 2", len(own.Trace().Ops))
	}
}

// TestManyFiles checks that the figures name the busiest files, and count all further files.
func TestManyFiles(t *testing.T) {
	s, file := scheduler(t, sluice.Options{Driver: sluice.DriverPool})
	const more = 25
	files := []*sluice.File{file}
	for i := range MaxFiles + more - 1 {
		name := filepath.Join(t.TempDir(), fmt.Sprint(i))
		f := testenv.Must1(s.Create(name))
		testenv.Must1(f.Write([]byte("x")))
		files = append(files, f)
	}
	f := looked(t, func() {
		for _, one := range files {
			testenv.Must1(one.ReadAt(make([]byte, 1), 0))
		}
	})
	runtime.KeepAlive(files) // a file that is dropped is closed
	if len(f.Files) != MaxFiles || f.FilesLeft != more || f.OpenFiles != MaxFiles+more {
		t.Errorf("%d files are named, %d left, %d open; want %d, %d and %d", len(f.Files), f.FilesLeft, f.OpenFiles, MaxFiles, more, MaxFiles+more)
	}
}

// TestEstimates: with more operations than the Recorder has room for, the rates are about right.
func TestEstimates(t *testing.T) {
	tr := &trace.Trace{Files: []string{"", "f"}, Classes: []string{"default"}, Meta: trace.Meta{Lost: 300}}
	for range 100 {
		tr.Ops = append(tr.Ops, trace.Op{File: 1, Kind: trace.KindRead, Result: 10, Woken: time.Millisecond})
	}
	f := &Figures{Seconds: 1}
	newGrouper(f, tr).finish()
	if g := f.Files[0]; g.Rate != 400 || g.Bytes != 4000 || math.Abs(g.Mean-0.4) > 1e-9 || g.P99 != 1e6 {
		t.Errorf("a quarter of 400 operations gives %+v", g)
	}
}

// TestQuantile compares quantiles with their definition.
func TestQuantile(t *testing.T) {
	for n := 1; n < 300; n++ {
		var sorted []time.Duration
		for i := range n {
			sorted = append(sorted, time.Duration(i+1))
		}
		got := int(quantile(sorted, 99))
		if 100*got < 99*n || 100*(got-1) >= 99*n {
			t.Errorf("the p99 of 1 to %d is %d", n, got)
		}
	}
}

// TestPolicy: the page's policy has the digest of its style.
func TestPolicy(t *testing.T) {
	sum := sha256.Sum256([]byte(style))
	if want := base64.StdEncoding.EncodeToString(sum[:]); styleDigest != want {
		t.Errorf("styleDigest is %q; want %q", styleDigest, want)
	}
}

// TestOneLook checks that callers share a look, and that a caller that stops waiting gets an error.
func TestOneLook(t *testing.T) {
	hang.Watch(t)
	scheduler(t, sluice.Options{Driver: sluice.DriverPool})
	var l looker
	looking, goOn := make(chan bool), make(chan bool)
	results := make(chan *Figures)
	var all sync.WaitGroup
	ask := func(wait func()) {
		all.Go(func() {
			f, err := l.figures(context.Background(), wait)
			if err != nil {
				t.Error(err)
			}
			results <- f
		})
	}
	ask(func() { close(looking); <-goOn })
	<-looking
	gone, stop := context.WithCancel(context.Background())
	stop()
	if _, err := l.figures(gone, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that is gone gets %v; want %v", err, context.Canceled)
	}
	l.mu.Lock()
	running := l.running
	l.mu.Unlock()
	close(goOn)
	first := <-results
	all.Wait()
	if first == nil || running.figures != first || l.running != nil {
		t.Errorf("the look returned %v, has %v, and %v runs; want its figures, and none", first, running.figures, l.running)
	}
	// Who finds an ended look on its way out gets what it has found.
	l.running = running
	if f, err := l.figures(t.Context(), func() { t.Error("a second look runs") }); f != first || err != nil {
		t.Errorf("who joins a look gets %v, %v; want its figures", f, err)
	}
}

// TestNothing: without a Scheduler a look says so at once, and there is no trace.
func TestNothing(t *testing.T) {
	f := looked(t, func() { t.Error("it waits") })
	if f.PID != os.Getpid() || !strings.Contains(string(f.page(Query{})), "No Scheduler is open") {
		t.Errorf("the figures are %+v", f)
	}
	if a := Get(t.Context(), "seconds=5"); a.Status != 404 {
		t.Errorf("a trace has status %d; want 404", a.Status)
	}
}

// TestQueries: a query that is wrong has a message.
func TestQueries(t *testing.T) {
	for query, want := range map[string]string{
		"":                                "",
		"seconds=1":                       "",
		"seconds=60&format=trace":         "",
		"refresh=off&":                    "",
		"format=json":                     "",
		"seconds=0":                       `seconds="0" is not a number from 1 to 60`,
		"seconds=-1":                      `seconds="-1" is not a number from 1 to 60`,
		"seconds=61":                      "is not a number",
		"seconds=1e9":                     "is not a number",
		"seconds=99999999999999999999999": "is not a number",
		"seconds":                         "is not a number",
		"seconds=5s":                      "is not a number",
		"seconds=5&seconds=6":             "seconds is given twice",
		"format=xml":                      "is not json or trace",
		"format=trace":                    "needs seconds",
		"format=json&seconds=1":           "is for what happens now",
		"refresh=1":                       "is not off",
		"secs=5":                          `"secs" is unknown`,
		"%73econds=5":                     "is unknown",
	} {
		_, err := ParseQuery(query)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v; want no error", query, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v; want %q", query, err, want)
		case want != "":
			if a := Get(t.Context(), query); a.Status != 400 || !strings.Contains(string(a.Body), want) {
				t.Errorf("%q: status %d, %s; want 400 and %q", query, a.Status, a.Body, want)
			}
		}
	}
}

// TestOneTrace: one trace is made at a time, and ends early when its client is gone.
func TestOneTrace(t *testing.T) {
	hang.Watch(t)
	s, file := scheduler(t, sluice.Options{Driver: sluice.DriverPool})
	ctx, stop := context.WithCancel(t.Context())
	first := make(chan Answer)
	go func() { first <- Get(ctx, "seconds=60") }()
	testenv.WaitFor(t, "a trace", func() bool { return inside.Scheduler(s).Core.Hook().Now() != 0 })
	if a := Get(t.Context(), "seconds=1"); a.Status != 409 {
		t.Errorf("a second trace has status %d; want 409", a.Status)
	}
	stop()
	if a := <-first; a.Status != 503 {
		t.Errorf("the trace of a client that is gone has status %d; want 503", a.Status)
	}
	if inside.Scheduler(s).Core.Hook().Now() != 0 {
		t.Error("the Scheduler still records")
	}
	if !tracing.TryLock() {
		t.Fatal("the trace of a client that is gone goes on")
	}
	tracing.Unlock()
	testenv.Must1(file.ReadAt(make([]byte, 1), 0))
}

// TestWritten: a trace is a page, or a file that package trace reads.
func TestWritten(t *testing.T) {
	rec := testenv.Must1(trace.New(trace.Options{}))
	_, file := scheduler(t, sluice.Options{Driver: sluice.DriverPool, Recorder: rec})
	rec.Start()
	testenv.Must1(file.ReadAt(make([]byte, 1), 0))
	tr := rec.Trace()
	a := written(Query{Seconds: 1, format: "trace"}, tr)
	read, err := trace.Read(strings.NewReader(string(a.Body)))
	if err != nil || len(read.Ops) != 1 || a.Status != 200 || !strings.HasSuffix(a.Name, fmt.Sprint(os.Getpid(), ".sluice")) {
		t.Errorf("the file %s has %v, %v; want one operation", a.Name, read, err)
	}
	a = written(Query{Seconds: 1}, tr)
	if !strings.HasPrefix(string(a.Body), "<!doctype html>\n<!-- sluice trace view -->") || a.Type != htmlType || a.Name != "" {
		t.Errorf("the page is %s %.60q", a.Type, a.Body)
	}
	if got := cleanName("a \"b\"\r\nX: é"); got != "a__b___X__"+"_" {
		t.Errorf("cleanName = %q", got)
	}
}

// TestFigures checks how numbers are written.
func TestFigures(t *testing.T) {
	for got, want := range map[string]string{
		Rate(0): "0", Rate(0.25): "0.2", Rate(9.96): "10", Rate(10): "10", Rate(999.4): "999", Rate(999.5): "1k", Rate(1234): "1.23k",
		Rate(41_234): "41.2k", Rate(999_600): "1M", Rate(1e15): "1000T",
		Bytes(4096): "4Ki", Bytes(1023.6): "1Ki", Bytes(41.25 * (1 << 20)): "41.2Mi",
		Latency(0): "-", Latency(999): "999ns", Latency(1200): "1.2µs", Latency(999_400): "999µs", Latency(999_600): "1ms",
		Latency(1_500_000_000): "1.5s", Latency(int64(90 * time.Second)): "90s",
		Mean(0): "0", Mean(0.123): "0.12", Mean(64.4): "64",
	} {
		if got != want {
			t.Errorf("a number is %q; want %q", got, want)
		}
	}
}
