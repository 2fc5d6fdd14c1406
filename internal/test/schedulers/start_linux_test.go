package schedulers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// These tests are about a Scheduler before and at its first operation.

// TestReadsChooseNoDriver checks that a program that opens a file and makes cached reads needs no
// driver.
func TestReadsChooseNoDriver(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f := testenv.TextOn(t, s, t.TempDir())
	if _, err := f.Read(make([]byte, 10)); err != nil {
		t.Errorf("Read: %v", err)
	}
	if _, err := f.ReadAt(make([]byte, 10), 10); err != nil {
		t.Errorf("ReadAt: %v", err)
	}
	st := s.Stats()
	if st.Plain != 1 || st.Cached != 1 {
		skip.Forf(t, skip.Chance, "%d reads were plain calls, %d found by a look; want 1 each. Is there no such look here?", st.Plain, st.Cached)
	}
	if st.Rings != 0 || st.LostRings != 0 {
		t.Errorf("Stats = %+v; want no ring", st)
	}
	if text := s.Explain(); !strings.HasPrefix(text, "driver: ") || strings.Contains(text, "none") {
		t.Errorf("Explain = %s; want a driver", text)
	}
	if st := s.Stats(); st.Rings != 1 {
		t.Errorf("%d rings after Explain; want 1", st.Rings)
	}
}

// TestSmallProgramsChooseNoDriver checks that calls one after the other need no driver: a program
// that writes a file and syncs it would take twice as long.
func TestSmallProgramsChooseNoDriver(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	f, err := s.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		do   func() error
	}{
		{"Write", func() error { _, err := f.Write(make([]byte, 8*testenv.PageSize)); return err }},
		{"WriteAt", func() error { _, err := f.WriteAt(make([]byte, 10), 5); return err }},
		{"Sync", f.Sync},
		{"Datasync", f.Datasync},
		{"Stat", func() error { _, err := f.Stat(); return err }},
		{"Seek", func() error { _, err := f.Seek(0, 0); return err }},
		{"Read", func() error { _, err := f.Read(make([]byte, 10)); return err }},
		{"Chmod", func() error { return f.Chmod(0o600) }},
		{"Truncate", func() error { return f.Truncate(testenv.PageSize) }},
		{"ReadDir", func() error {
			d, err := s.Open(dir)
			if err != nil {
				return err
			}
			defer d.Close()
			_, err = d.ReadDir(-1)
			return err
		}},
		{"ReadFrom", func() error {
			g, err := s.Open(testenv.TextOn(t, s, dir).Name())
			if err != nil {
				return err
			}
			defer g.Close()
			_, err = f.ReadFrom(g)
			return err
		}},
		{"a direct read", func() error {
			g, err := s.OpenFile(name, os.O_RDONLY|sys.O_DIRECT, 0)
			if err != nil {
				return nil // none here
			}
			defer g.Close()
			_, err = g.ReadAt(testenv.AlignedBytes(testenv.PageSize), 0)
			return err
		}},
		{"Close", f.Close},
	} {
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if n := s.Stats().Rings; n != 0 {
			t.Fatalf("after %s there are %d rings; want none", c.what, n)
		}
	}
}

// TestNamedDriverIsOpenAtOnce checks that NewScheduler opens a driver that is requested by name.
func TestNamedDriverIsOpenAtOnce(t *testing.T) {
	for _, driver := range testenv.Drivers {
		if st := testenv.Scheduler(t, sluice.Options{Driver: driver}).Stats(); st.Rings != 1 {
			t.Errorf("%s: %d rings after NewScheduler; want 1", driver, st.Rings)
		}
	}
}

// TestClosedWithoutDriver checks that Explain chooses no driver after a Scheduler was closed before
// it needed one.
func TestClosedWithoutDriver(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	const want = "driver: none (the Scheduler was closed before it needed one)\n"
	if text := s.Explain(); text != want {
		t.Errorf("Explain = %q; want %q", text, want)
	}
	if st := s.Stats(); st.Rings != 0 {
		t.Errorf("%d rings after Close; want 0", st.Rings)
	}
}

// TestFirstUseBesideClose checks that a first operation, or Explain, concurrent with Close leaves
// nothing open.
func TestFirstUseBesideClose(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, testenv.PageSize), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context()) // the reads are then no plain calls
	defer cancel()
	uses := map[string]func(s *sluice.Scheduler, f *sluice.File){
		"ReadAt": func(_ *sluice.Scheduler, f *sluice.File) {
			n, err := f.ReadAtContext(ctx, testenv.AlignedBytes(testenv.PageSize), 0)
			if (n != testenv.PageSize || err != nil) && !errors.Is(err, os.ErrClosed) {
				t.Errorf("ReadAt = %d, %v; want all bytes, or %v", n, err, os.ErrClosed)
			}
		},
		"Explain": func(s *sluice.Scheduler, _ *sluice.File) {
			if text := s.Explain(); !strings.HasPrefix(text, "driver: ") || strings.Contains(text, "stopped working") {
				t.Errorf("Explain = %s", text)
			}
			s.Stats()
		},
	}
	for what, use := range uses {
		t.Run(what, func(t *testing.T) {
			testenv.Scheduler(t, sluice.Options{}).Close() // makes what stays for good
			before := testenv.HeldNow(t)
			for range 300 {
				s := testenv.Scheduler(t, sluice.Options{})
				f, err := s.OpenFile(name, os.O_RDONLY|sys.O_DIRECT, 0)
				if err != nil {
					skip.For(t, skip.Direct, "no O_DIRECT here: ", err)
				}
				var used sync.WaitGroup
				used.Go(func() { use(s, f) })
				testenv.Yield()
				if err := s.Close(); err != nil { // also closes f
					t.Errorf("Close = %v", err)
				}
				used.Wait()
			}
			var more []string
			testenv.WaitOr(func() bool { more = before.More(testenv.HeldNow(t)); return len(more) == 0 },
				func() { t.Errorf("left behind: %s", strings.Join(more, ", ")) })
		})
	}
}

// TestFirstOperationsAtOnce has 64 goroutines begin at once. Without a guard each might open a
// ring.
func TestFirstOperationsAtOnce(t *testing.T) {
	const n = 64
	s := testenv.Scheduler(t, sluice.Options{})
	f := testenv.DirectOn(t, s, t.TempDir(), n*testenv.PageSize)
	ctx, cancel := context.WithCancel(t.Context()) // the reads are then no plain calls
	defer cancel()
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			b := testenv.AlignedBytes(testenv.PageSize)
			<-start
			if _, err := f.ReadAtContext(ctx, b, int64(i)*testenv.PageSize); err != nil || b[0] != byte(i) {
				t.Errorf("page %d begins with %d, %v", i, b[0], err)
			}
		})
	}
	close(start)
	all.Wait()
	if st := s.Stats(); st.Rings != 1 || st.LostRings != 0 {
		t.Errorf("%d rings, %d lost drivers; want 1, 0", st.Rings, st.LostRings)
	}
}
