package traces

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	runtrace "runtime/trace"
	"strings"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/trace"
)

// TestTraceCounts makes all kinds of operations, and compares the trace with Stats: every operation
// must be there, on its path and with its bytes.
func TestTraceCounts(t *testing.T) {
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			rec, s := testenv.Recorded(t, name)
			f := testenv.DirectOn(t, s, t.TempDir(), 64*testenv.PageSize)
			g, err := s.Create(filepath.Join(t.TempDir(), "buffered"))
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() { readWriteSync(t, f, i) })
				all.Go(func() { readWriteSync(t, g, i) })
			}
			all.Wait()
			stream(t, s, f.Name())
			st := s.Stats()
			// The driver may still record a call, and lose it while the trace is read.
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			tr := rec.Trace()
			if tr.Meta.Lost != 0 || tr.Meta.Driver == "" || !strings.Contains(tr.Meta.Driver, name) {
				t.Errorf("trace is of driver %q with %d lost; want %s, 0", tr.Meta.Driver, tr.Meta.Lost, name)
			}
			testenv.CheckTimes(t, tr)
			testenv.CompareStats(t, tr, st)
			for i := range tr.Ops {
				if name := tr.Files[tr.Ops[i].File]; name != f.Name() && name != g.Name() {
					t.Fatalf("an operation of file %q", name)
				}
			}
		})
	}
}

// readWriteSync reads, writes and syncs the pages of goroutine i.
func readWriteSync(t *testing.T, f *sluice.File, i int) {
	b := testenv.AlignedBytes(testenv.PageSize)
	for j := range 20 {
		off := int64(8*i+j%8) * testenv.PageSize
		_, werr := f.WriteAt(b, off)
		_, rerr := f.ReadAt(b, off)
		if werr != nil || rerr != nil {
			t.Errorf("WriteAt, ReadAt: %v, %v", werr, rerr)
		}
		if j%5 == 0 {
			if err := f.Sync(); err != nil {
				t.Errorf("Sync: %v", err)
			}
		}
	}
}

// stream reads and overwrites a file of 64 pages by streams, which use the driver for however
// little work.
func stream(t *testing.T, s *sluice.Scheduler, name string) {
	t.Helper()
	d, err := direct.OpenOn(s, name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r, err := d.NewReader(t.Context(), direct.ReaderOptions{BufferSize: 4 * testenv.PageSize})
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil || len(data) != 64*testenv.PageSize {
		t.Errorf("ReadAll of a stream = %d bytes, %v", len(data), err)
	}
	w, err := d.NewWriter(t.Context(), direct.WriterOptions{BufferSize: 4 * testenv.PageSize})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Error(err)
	}
	if err := errors.Join(r.Close(), w.Close()); err != nil {
		t.Error(err)
	}
	ranges := func(yield func(direct.Range) bool) {
		for i := range int64(16) {
			if !yield(direct.Range{Off: 2 * i * testenv.PageSize, Len: testenv.PageSize}) {
				return
			}
		}
	}
	for r, err := range d.ReadMany(t.Context(), ranges, direct.ReadManyOptions{MergeSize: testenv.PageSize}) {
		if err != nil {
			t.Error(err)
			return
		}
		r.Buffer.Release()
	}
}

// TestTraceCalls checks that the driver's system calls are recorded.
func TestTraceCalls(t *testing.T) {
	for name, want := range map[string][]string{
		"uring": {"io_uring_setup", "io_uring_enter"},
		"aio":   {"io_setup", "io_submit"},
		"pool":  {},
	} {
		t.Run(name, func(t *testing.T) {
			rec, s := testenv.Recorded(t, name)
			f := testenv.DirectOn(t, s, t.TempDir(), 64*testenv.PageSize)
			stream(t, s, f.Name())
			tr := rec.Trace()
			seen, batch := map[string]int{}, 0
			for i := range tr.Calls {
				c := &tr.Calls[i]
				seen[c.Syscall]++
				if c.Driver == name {
					batch += int(c.Batch)
				}
			}
			for _, call := range want {
				if seen[call] == 0 {
					t.Errorf("no %v among the calls: %v", call, seen)
				}
			}
			if s.Stats().Queued > 0 && batch == 0 {
				t.Errorf("%d operations were queued, and no call had a batch", s.Stats().Queued)
			}
		})
	}
}

// TestTraceStop starts and stops while goroutines read, and removes the Recorder.
func TestTraceStop(t *testing.T) {
	rec, s := testenv.Recorded(t, "")
	f := testenv.TextOn(t, s, t.TempDir())
	read := func() { testenv.ReadTwenty(t, f) }
	count := func() int { return len(rec.Trace().Ops) }
	read()
	if count() != 1 {
		t.Errorf("%d operations after a read; want 1", count())
	}
	rec.Stop()
	read()
	if count() != 1 {
		t.Errorf("%d operations after a read while stopped; want 1", count())
	}
	rec.Start()
	read()
	if count() != 2 {
		t.Errorf("%d operations after a read; want 2", count())
	}
	s.Record(nil)
	read()
	if count() != 2 {
		t.Errorf("%d operations after the Recorder was taken away; want 2", count())
	}
	s.Record(rec)
	read()
	if count() != 3 {
		t.Errorf("%d operations after the Recorder was given back; want 3", count())
	}
}

// TestTraceRegions checks that waiting operations are in the execution trace if requested.
func TestTraceRegions(t *testing.T) {
	for _, regions := range []bool{false, true} {
		rec, err := trace.New(trace.Options{Regions: regions})
		if err != nil {
			t.Fatal(err)
		}
		rec.Start()
		s := testenv.Scheduler(t, sluice.Options{Driver: "pool", Recorder: rec})
		f := testenv.TextOn(t, s, t.TempDir())
		var b bytes.Buffer
		if err := runtrace.Start(&b); err != nil {
			skip.For(t, skip.Case, "the execution trace is in use: ", err)
		}
		werr := errors.Join(f.Sync(), f.Close())
		runtrace.Stop()
		if werr != nil {
			t.Fatal(werr)
		}
		if got := bytes.Contains(b.Bytes(), []byte("sluice fsync")); got != (regions && record.Built) {
			t.Errorf("with Regions %v an fsync in the execution trace is %v", regions, got)
		}
	}
}

// TestTraceAllocates checks that the fastest read allocates nothing while it is recorded.
func TestTraceAllocates(t *testing.T) {
	_, s := testenv.Recorded(t, "")
	f := testenv.TextOn(t, s, t.TempDir())
	b := make([]byte, 4)
	allocs.None(t, "a read that is recorded", func() error { _, err := f.ReadAt(b, 0); return err })
}

// TestTraceVariable starts this program with SLUICE_TRACE, and reads the trace after os.Exit.
func TestTraceVariable(t *testing.T) {
	if name := os.Getenv("SLUICE_TEST_READ"); name != "" {
		b, err := sluice.ReadFile(name)
		os.Stdout.Write(b)
		if err != nil {
			os.Exit(4)
		}
		os.Exit(3) // without Close, as many programs end
	}
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "trace")
	testenv.Write(t, data, testenv.Twenty)
	child := func(to, events string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTraceVariable$")
		cmd.Env = append(os.Environ(), "SLUICE_TEST_READ="+data, "SLUICE_TRACE="+to, "SLUICE_TRACE_EVENTS="+events)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err == nil || cmd.ProcessState.ExitCode() != 3 || string(out) != testenv.Twenty {
			t.Fatalf("the program printed %q and ended with %v; want %q, 3", out, err, testenv.Twenty)
		}
		return stderr.String()
	}
	if text := child(file, "1000"); text != "" {
		t.Errorf("stderr has %q; want nothing", text)
	}
	tr := readTrace(t, file)
	found := false
	for i := range tr.Ops {
		found = found || tr.Files[tr.Ops[i].File] == data && tr.Ops[i].Result == int64(len(testenv.Twenty))
	}
	if !found || tr.Meta.PID == 0 || tr.Meta.Program == "" {
		t.Errorf("no read of %s in the trace: %+v", data, tr)
	}
	before, _ := os.ReadFile(file)
	for _, c := range [][3]string{
		{file, "", "file exists"},
		{filepath.Join(dir, "none", "trace"), "", "no such file"},
		{file + "2", "many", "SLUICE_TRACE_EVENTS"},
	} {
		text := child(c[0], c[1])
		if !strings.HasPrefix(text, "sluice: nothing is recorded: ") || strings.Count(text, "\n") != 1 || !strings.Contains(text, c[2]) {
			t.Errorf("stderr has %q; want a line with %q", text, c[2])
		}
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Error("the trace that was there was written to")
	}
	child(filepath.Join(dir, "of-%p"), "1000")
	if names, _ := filepath.Glob(filepath.Join(dir, "of-[0-9]*")); len(names) != 1 {
		t.Errorf("files %q; want one with the number of the process", names)
	}
}

func readTrace(t *testing.T, name string) *trace.Trace {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tr, err := trace.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestTraceLabels checks that an operation has its goroutine's labels of runtime/pprof, also after
// the trace was written and read.
func TestTraceLabels(t *testing.T) {
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		skip.For(t, skip.Platform, "how "+runtime.Version()+" stores labels is not known")
	}
	rec, s := testenv.Recorded(t, "pool")
	f, err := s.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, role := range []string{"", "compaction", "log"} {
		all.Go(func() {
			write := func(context.Context) {
				for i := range 50 {
					if _, err := f.WriteAt([]byte(role+"."), int64(i)); err != nil {
						t.Error(err)
					}
				}
			}
			if role == "" {
				write(t.Context())
				return
			}
			pprof.Do(t.Context(), pprof.Labels("role", role), write)
		})
	}
	all.Wait()
	var b bytes.Buffer
	if _, err := rec.Trace().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	n := make(map[string]int)
	for _, o := range tr.Ops {
		label := tr.Labels[o.Label]
		if want := map[int64]string{1: "", 11: "role=compaction", 4: "role=log"}[o.Size]; o.Kind == trace.KindWrite && label != want {
			t.Fatalf("a write of %d bytes has the labels %q; want %q", o.Size, label, want)
		}
		n[label]++
	}
	if n[""] < 50 || n["role=compaction"] < 50 || n["role=log"] < 50 {
		t.Errorf("operations by labels are %v; want at least 50 of each", n)
	}
}
