package positions

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/trace"
)

// queueing returns a Scheduler that makes no Read a plain call, with its Recorder.
func queueing(t *testing.T) (*sluice.Scheduler, *trace.Recorder) {
	t.Helper()
	if !record.Built {
		skip.For(t, skip.Build, "built without the recorder")
	}
	s := testenv.SchedulerOn(testenv.AsyncPool{Pool: testenv.PoolOf(t, 8)})
	t.Cleanup(func() { s.Close() })
	rec, err := trace.New(trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Record(rec)
	return s, rec
}

// readsAtPosition reports whether a cached Read of f is one call at the position.
func readsAtPosition(t *testing.T, rec *trace.Recorder, f *sluice.File) bool {
	t.Helper()
	rec.Start()
	n, err := f.Read(make([]byte, 1))
	rec.Stop()
	if n != 1 || err != nil {
		t.Fatalf("Read = %d, %v", n, err)
	}
	ops := rec.Trace().Ops
	if len(ops) == 0 {
		t.Fatal("nothing was recorded")
	}
	return ops[len(ops)-1].Offset == -1
}

// TestPrivatePosition checks that a File which opened its descriptor tries a cached read at the
// position, until it gives the descriptor away. A File of a foreign descriptor must never do so.
func TestPrivatePosition(t *testing.T) {
	name := filepath.Join(places.Disk(t), "file")
	if err := os.WriteFile(name, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(name); err != nil {
		t.Fatal(err)
	} else if n := sys.ReadCached(int(f.Fd()), make([]byte, 1), 0); n != 1 {
		skip.Forf(t, skip.Chance, "a look into the page cache gives %d here", n)
	} else {
		f.Close()
	}
	s, rec := queueing(t)
	open := func() *sluice.File { return testenv.Must1(s.Open(name)) }
	for what, c := range map[string]struct {
		file func() *sluice.File
		want bool
	}{
		"Open":        {open, true},
		"Fd":          {func() *sluice.File { f := open(); f.Fd(); return f }, false},
		"OSFile":      {func() *sluice.File { f := open(); f.OSFile(); return f }, false},
		"SyscallConn": {func() *sluice.File { f := open(); testenv.Must1(f.SyscallConn()); return f }, false},
		"FromOS":      {func() *sluice.File { return testenv.Must1(s.FromOS(testenv.Must1(os.Open(name)))) }, false},
		"FromOS of a descriptor": {func() *sluice.File {
			fd := testenv.Must1(unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0))
			return testenv.Must1(s.FromOS(os.NewFile(uintptr(fd), name)))
		}, false},
	} {
		f := c.file()
		if got := readsAtPosition(t, rec, f); got != c.want {
			t.Errorf("%s: a Read looks at the position: %t; want %t", what, got, c.want)
		}
		if pos, err := f.Seek(0, io.SeekCurrent); pos != 1 || err != nil {
			t.Errorf("%s: the position is %d, %v; want 1", what, pos, err)
		}
		f.Close()
	}
}
