package stress_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/stress"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func mode(t *testing.T, value string) *stress.Mode {
	t.Helper()
	m, err := stress.Parse(value)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParse(t *testing.T) {
	for _, value := range []string{stress.Value(7, false), stress.Value(1<<63, true), "0"} {
		if _, err := stress.Parse(value); err != nil {
			t.Errorf("Parse(%q) = %v; want nil", value, err)
		}
	}
	for _, value := range []string{"", "x", "-1", "7,", "7,long", "7,short-reads,short-reads"} {
		if _, err := stress.Parse(value); err == nil {
			t.Errorf("Parse(%q) = nil; want an error", value)
		}
	}
}

// TestQueued checks on each driver that nothing is read from the page cache, that all is queued
// that the driver can queue, and that the bytes are right.
func TestQueued(t *testing.T) {
	for name, queues := range map[string]bool{"uring": true, "aio": false, "pool": false} {
		t.Run(name, func(t *testing.T) {
			m := mode(t, stress.Value(seed.Of(t), false))
			s, err := inside.New(handle.Parts{
				Core: sched.Options{Wrap: m.Delay}, Around: m.InFront, NeverLook: true,
			}, sluice.Options{Driver: name})
			if err != nil {
				skip.ForDriver(t, name, err)
			}
			defer s.Close()
			const readers, each = 8, 100
			readAll(t, s, readers, each)
			st := s.Stats()
			if st.Cached != 0 {
				t.Errorf("%d operations from the page cache; want 0", st.Cached)
			}
			// A short read takes several operations, and an interrupted one is a plain call.
			if queues && (st.Queued < readers*each*7/10 || st.Plain > st.Queued/4) {
				t.Errorf("%d of %d reads were queued, and %d plain calls made", st.Queued, readers*each, st.Plain)
			}
			if !queues && st.Plain < readers*each {
				t.Errorf("%d plain calls for %d reads that the driver cannot queue", st.Plain, readers*each)
			}
		})
	}
}

// readAll has goroutines read parts of a file, and write and sync another one.
func readAll(t *testing.T, s *sluice.Scheduler, readers, each int) {
	t.Helper()
	dir := t.TempDir()
	content := make([]byte, 256<<10) // 256 KiB
	for i := range content {
		content[i] = byte(i>>8) ^ byte(i)
	}
	name := filepath.Join(dir, "read")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := s.Create(filepath.Join(dir, "written"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var all sync.WaitGroup
	for g := range readers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 0))
			for i := range each {
				b := make([]byte, 1+r.IntN(8<<10))
				off := r.Int64N(int64(len(content) - len(b)))
				if n, err := f.ReadAt(b, off); n != len(b) || err != nil || !bytes.Equal(b, content[off:][:n]) {
					t.Errorf("ReadAt(%d, %d) = %d, %v, or other bytes", len(b), off, n, err)
				}
				if i%20 == 0 {
					if _, err := out.WriteAt(b, off); err != nil {
						t.Error(err)
					}
					if err := out.Sync(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
}

// TestDelay checks that a late call has the result of the call, and that only some are late.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		call := mode(t, "1").Delay(func(code driver.Code, fd int, b []byte, off int64) int32 {
			made++
			return int32(fd) + int32(off)
		})
		for i := range 100 {
			if res := call(driver.Write, i, nil, 1000); res != int32(1000+i) {
				t.Errorf("call %d = %d; want %d", i, res, 1000+i)
			}
		}
		if n := testing.AllocsPerRun(100, func() { call(driver.Write, 0, nil, 0) }); n != 0 {
			t.Errorf("a call allocates %v times; want 0: some programs' tests count", n)
		}
		made -= 101
		if made != 100 {
			t.Errorf("%d calls were made; want 100", made)
		}
	})
}

// TestPortion checks that a Read asks for at least one byte, and for all without the word.
func TestPortion(t *testing.T) {
	p := make([]byte, 100)
	m, whole := mode(t, "3,short-reads"), mode(t, "3")
	var lengths []int
	for range 200 {
		if n := len(whole.Portion(p)); n != len(p) {
			t.Fatalf("%d bytes without %s; want all", n, stress.ShortReads)
		}
		if n := len(m.Portion(p[:1])); n != 1 {
			t.Fatalf("%d bytes of 1", n)
		}
		if n := len(m.Portion(p)); n < len(p) {
			lengths = append(lengths, n)
		}
	}
	if len(lengths) < 10 || len(lengths) > 50 || slices.Contains(lengths, 0) {
		t.Errorf("of 200 Reads, short ones ask for %d bytes; want an eighth of them, and no 0", lengths)
	}
}

// TestReport checks that several programs can add their counts to a file.
func TestReport(t *testing.T) {
	name := filepath.Join(t.TempDir(), "counts")
	t.Setenv(stress.CountsVariable, name)
	m := mode(t, "1")
	m.Report(stress.Counts{Cached: 1, Plain: 2, Queued: 3})
	m.Report(stress.Counts{Queued: 4})
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := stress.ReadCounts(f)
	if err != nil || len(all) != 2 {
		t.Fatalf("ReadCounts = %v, %v; want two", all, err)
	}
	var sum stress.Counts
	for _, c := range all {
		if c.Program != os.Args[0] || c.Dir == "" {
			t.Errorf("the program is %q in %q", c.Program, c.Dir)
		}
		sum.Add(c)
	}
	if want := (stress.Counts{Cached: 1, Plain: 2, Queued: 7}); sum != want {
		t.Errorf("the sum is %+v; want %+v", sum, want)
	}
	if _, err := stress.ReadCounts(strings.NewReader("1 2 x\n")); err == nil {
		t.Error("ReadCounts of something else = nil; want an error")
	}
}
