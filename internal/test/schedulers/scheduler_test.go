package schedulers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

func TestSchedulerClosed(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := testenv.TextOn(t, s, t.TempDir())
		if err := s.Close(); err != nil {
			t.Fatalf("Close = %v", err)
		}
		for _, err := range []error{
			s.Close(),
			f.Close(),
			second(f.ReadAt(make([]byte, 1), 0)),
			second(f.Read(make([]byte, 1))),
			second(f.WriteAt(make([]byte, 1), 0)),
			second(s.Open(f.Name())),
			second(s.Create(f.Name())),
			second(s.OpenFile(f.Name(), os.O_RDONLY, 0)),
		} {
			if !errors.Is(err, os.ErrClosed) {
				t.Errorf("after Close of the scheduler: %v; want ErrClosed", err)
			}
		}
		if b, err := os.ReadFile(f.Name()); string(b) != testenv.Twenty || err != nil {
			t.Errorf("Create on a closed scheduler: the file holds %q, %v; want %q", b, err, testenv.Twenty)
		}
		g, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.FromOS(g); !errors.Is(err, os.ErrClosed) || !errors.Is(g.Close(), os.ErrClosed) {
			t.Error("FromOS on a closed scheduler took a file and left it open")
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestStats(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		before := s.Stats()
		f, err := s.Create(filepath.Join(dir, "file"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for range 10 {
			if _, err := f.Write(make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range int64(10) {
			if _, err := f.ReadAt(make([]byte, 500), i*500); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		st := s.Stats()
		if n := st.BytesWritten - before.BytesWritten; n != 10_000 {
			t.Errorf("BytesWritten = %d; want 10000", n)
		}
		if n := st.BytesRead - before.BytesRead; n != 5_000 {
			t.Errorf("BytesRead = %d; want 5000", n)
		}
		if n := st.Cached + st.Plain + st.Queued - before.Cached - before.Plain - before.Queued; n != 21 {
			t.Errorf("%d operations counted, %+v; want 21", n, st)
		}
		if st.InFlight != 0 {
			t.Errorf("InFlight = %d with nothing going on", st.InFlight)
		}
		var batches int64
		for _, n := range st.SubmitSizes {
			batches += n
		}
		if batches != st.Submits {
			t.Errorf("Submits = %d; the sizes sum up to %d", st.Submits, batches)
		}
	})
}

// TestStatsOfBlocked checks that the waiting threads are counted.
func TestStatsOfBlocked(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool", Threads: 1})
	release := testenv.Occupy(s)
	defer release()
	if n := s.Stats().WaitingThreads; n != 1 {
		t.Errorf("WaitingThreads = %d; want 1", n)
	}
	release()
	testenv.WaitFor(t, "no thread to be blocked", func() bool { return s.Stats().WaitingThreads == 0 })
}

// compare lets the governor of no device compare plain calls of this duration with queued
// operations of 20 µs.
func compare(s *sluice.Scheduler, kind governor.Kind, plain time.Duration) {
	g := &testenv.CoreOf(s).DeviceOf(nil).Governors[kind]
	took := [...]time.Duration{governor.Queue: 20 * time.Microsecond, governor.Plain: plain}
	for c := new(clock); ; *c += clock(took[g.Choice()]) {
		g.Count(64, 4, c)
		if _, last := g.State(); last.Number > 0 {
			return
		}
	}
}

// clock is a governor.Journal.
type clock time.Duration

func (c *clock) Now() time.Duration { return time.Hour + time.Duration(*c) }

func (c *clock) ProbeProcessors() bool { return false }

func (c *clock) Forget() {}

func (c *clock) Prepare() {}

func (c *clock) Computes() bool { return true }

// TestGovernors checks that Stats and Explain have the governors that have compared something.
func TestGovernors(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool"})
	if before, st := s.Stats(), s.Stats(); st.Governors != 0 || st.GovernorsPlain != 0 || st != before {
		t.Errorf("Stats of a new Scheduler = %+v, and before that %+v", st, before)
	}
	compare(s, governor.Writes, 40*time.Microsecond)
	compare(s, governor.Reads, 10*time.Microsecond)
	if st := s.Stats(); st.Governors != 2 || st.GovernorsPlain != 1 {
		t.Errorf("of %d governors %d keep plain calls; want 1 of 2", st.Governors, st.GovernorsPlain)
	}
	text := s.Explain()
	for _, want := range []string{
		"\nreads on no device are plain calls: plain calls were 100 % faster than the queue (comparisons: 1; trials in the last one: 1)\n",
		"\ndirect writes on no device are queued: plain calls were 50 % slower than the queue (comparisons: 1; trials in the last one: 1)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("Explain = %q; want it to say %q", text, want)
		}
	}
}

func TestExplain(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		text := s.Explain()
		if want := fmt.Sprintf("driver: %s (asked for)\n", testenv.DriverOf(t)); !strings.HasPrefix(text, want) {
			t.Errorf("Explain = %q; want %q first", text, want)
		}
		for _, want := range []string{"in flight: at most ", "threads: at most "} {
			if !strings.Contains(text, want) {
				t.Errorf("Explain = %q; want it to say %q", text, want)
			}
		}
	})
}

// TestExplainOfThreads checks that Explain names a device on which threads are all the parallelism.
func TestExplainOfThreads(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		devices := testenv.CoreOf(s).Devices()
		d, few := devices.Of(1<<40), devices.None().Budget.Limit()
		d.Budget.Widen()
		text, n := s.Explain(), d.Budget.Limit()
		if says := strings.Contains(text, fmt.Sprintf(", %d on device %d", n, d.Number)); says != (n != few) {
			t.Errorf("Explain = %q, with %d permits on device %d, and %d elsewhere", text, n, d.Number, few)
		}
	})
}

// TestExplainOfRings checks that Explain says why a device shares its ring.
func TestExplainOfRings(t *testing.T) {
	device := func(fd int) (uint64, bool) { return uint64(fd), true }
	s := testenv.SchedulerWith(t, sched.Options{Device: device}, sluice.Options{Driver: "pool"})
	core := testenv.CoreOf(s)
	core.Rings().SetMost(2, func(*record.Hook) (driver.Driver, error) { return nil, errors.New("none is left") })
	for _, fd := range []int{1, 2} {
		core.NewTransferSet(t.Context(), iopath.NewFile(fd, false, false)).Close()
	}
	for _, want := range []string{"\nrings: 1; the first 2 devices get one each", "; the next could not be opened: none is left\n"} {
		if text := s.Explain(); !strings.Contains(text, want) {
			t.Errorf("Explain = %q; want it to say %q", text, want)
		}
	}
}

// TestExplainOfDepths checks that Explain says which ring has fewer places than the first.
func TestExplainOfDepths(t *testing.T) {
	device := func(fd int) (uint64, bool) { return uint64(fd), true }
	for second, want := range map[int]string{
		64: "\nin flight: at most 64 in each ring\n",
		32: "\nin flight: at most 64 in each ring, and 32 in ring 1\n",
	} {
		s := testenv.SchedulerWith(t, sched.Options{Device: device}, sluice.Options{Driver: "pool", Depth: 64})
		core := testenv.CoreOf(s)
		core.Rings().SetMost(3, func(*record.Hook) (driver.Driver, error) { return script.New(second), nil })
		for _, fd := range []int{1, 2} {
			core.NewTransferSet(t.Context(), iopath.NewFile(fd, false, false)).Close()
		}
		if text := s.Explain(); !strings.Contains(text, want) {
			t.Errorf("Explain = %q; want it to say %q", text, want)
		}
	}
}

// TestStatsOfWarmReads checks the small ReadAts of a lone goroutine. In Stats they are cached if
// the page cache has their bytes. If the file system does not support cached reads, they are plain
// calls.
func TestStatsOfWarmReads(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := testenv.TextOn(t, s, t.TempDir())
		before := s.Stats()
		reads := int64(0)
		read := func() {
			if _, err := f.ReadAt(make([]byte, 10), 0); err != nil {
				t.Fatal(err)
			}
			reads++
		}
		if sys.ReadCached(int(f.Fd()), make([]byte, 10), 0) == 10 {
			// The system may drop the page, but not each time.
			testenv.WaitFor(t, "a cached read", func() bool { read(); return s.Stats().Cached > before.Cached })
		}
		for range 52 {
			read()
		}
		st := s.Stats()
		if cached, others := st.Cached-before.Cached, st.Plain+st.Queued-before.Plain-before.Queued; cached+others != reads {
			t.Errorf("of %d reads %d are cached, and %d are other operations; want as many", reads, cached, others)
		}
	})
}
