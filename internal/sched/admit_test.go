package sched

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// The table of docs/decisions/0002-paths.md is what admit does.
func TestAdmit(t *testing.T) {
	b, err := os.ReadFile("../../docs/decisions/0002-paths.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(b), "| the driver can queue it |")
	if !found {
		t.Fatal("there is no table")
	}
	either := func(cell string) []bool {
		return map[string][]bool{"yes": {true}, "no": {false}, "any": {true, false}}[cell]
	}
	paths := map[string]path{
		"plain call, when there is a permit": waits, "queued": queued, "plain call if a permit is free, else queued": plain,
	}
	seen := 0
	for _, line := range strings.Split(rest, "\n")[2:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		want, known := paths[cells[3]]
		if !known {
			t.Fatalf("%q is no path", cells[3])
		}
		for _, canQueue := range either(cells[0]) {
			for _, ends := range either(cells[1]) {
				for _, room := range either(cells[2]) {
					seen++
					for _, inFlight := range []int32{0, 1, 7} {
						l := load{inFlight: inFlight, most: inFlight}
						if room {
							l.most++
						}
						if got := admit(operation{canQueue, ends}, l); got != want {
							t.Errorf("%s: admit = %d with %+v; want %d", line, got, l, want)
						}
					}
				}
			}
		}
	}
	if seen != 8 {
		t.Errorf("the table has %d of 8 cases", seen)
	}
}

// What the governors choose, by the processors.
func TestMost(t *testing.T) {
	for _, c := range []struct {
		choice     governor.Choice
		processors int
		want       int32
	}{
		{governor.Queue, 1, 0},
		{governor.Queue, 2, 1},
		{governor.Queue, 64, 1},
		{governor.Plain, 1, noBound},
		{governor.Plain, 64, noBound},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.processors))
			s := New(script.New(8), Options{Govern: true})
			if got := s.most(c.choice); got != c.want {
				t.Errorf("most = %d; want %d", got, c.want)
			}
		})
	}
}

// Each kind of operation asks for one permit of its kind, and tells its governor once.
func TestTryPlain(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const direct, buffered = true, false
	for _, c := range []struct {
		name   string
		code   driver.Code
		direct bool
		kind   governor.Kind
	}{
		{"a direct read", driver.Read, direct, governor.Reads},
		{"a large read", driver.Read, direct, governor.LargeReads},
		{"a buffered read", driver.Read, buffered, governor.Reads},
		{"a read at the position", driver.Read, buffered, governor.PositionReads},
		{"a direct write", driver.Write, direct, governor.Writes},
	} {
		s := New(script.New(8), Options{Govern: true})
		s.paths.AsyncBuffered[driver.Read] = true
		d, f := s.paths.Devices.None(), iopath.NewFile(1<<20, c.direct, false)
		if _, ok := s.tryPlain(t.Context(), c.kind, c.code, f); ok {
			t.Errorf("%s with a context that ends is a plain call", c.name)
		}
		p, ok := s.tryPlain(context.Background(), c.kind, c.code, f)
		if !ok || d.InFlight() != 1 {
			t.Errorf("the only one, %s, is a plain call: %t; %d are in flight; want true, 1", c.name, ok, d.InFlight())
		}
		if _, ok := s.tryPlain(context.Background(), c.kind, c.code, f); ok {
			t.Errorf("%s beside another one is a plain call", c.name)
		}
		p.Release()
		d.Queued.Add(1)
		if _, ok := s.tryPlain(context.Background(), c.kind, c.code, f); ok {
			t.Errorf("%s beside a queued operation is a plain call", c.name)
		}
		s.paths.AsyncDirect, s.paths.AsyncBuffered = [driver.NumCodes]bool{}, [driver.NumCodes]bool{}
		p, ok = s.tryPlain(context.Background(), c.kind, c.code, f)
		if !ok {
			t.Errorf("%s that cannot be queued is no plain call", c.name)
		}
		p.Release()
		for kind := range governor.Kinds {
			if n, want := d.Governors[kind].Operations(), uint32(0); kind == c.kind && n != 3 || kind != c.kind && n != want {
				t.Errorf("%s: the governor of %s has counted %d", c.name, kind, n)
			}
		}
	}
}

// Many goroutines read on two processors, and a plain call keeps its processor until it ends. From
// each start, most of the reads are queued. A machine that is busy may stop one of the two threads for
// long, and the goroutines behind it: so the best of some attempts counts.
func TestPlainCallsDoNotLockOutTheQueue(t *testing.T) {
	const few, attempts = 200, 10
	for _, start := range []struct {
		name       string
		goroutines int
	}{{"nothing in flight", 0}, {"after one goroutine", 1}, {"after two", 2}, {"after a crowd", 16}} {
		for _, direct := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/direct=%t", start.name, direct), func(t *testing.T) {
				hang.Watch(t)
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
				var plain int64
				for range attempts {
					plain = readByMany(t, direct, func(read func()) {
						var wg sync.WaitGroup
						for range start.goroutines {
							wg.Go(func() {
								for range few {
									read()
								}
							})
						}
						wg.Wait()
					})
					if plain <= manyReads/2 {
						return
					}
				}
				t.Errorf("%d plain calls of %d reads; want at most half", plain, manyReads)
			})
		}
	}
}

// manyReads is how many reads the goroutines of readByMany make.
const manyReads = 6400

// readByMany does start, and then has 16 goroutines read at once, from a file that is direct or
// not. It returns how many plain calls they made.
func readByMany(t *testing.T, direct bool, start func(read func())) (calls int64) {
	const goroutines = 16
	d := script.New(64)
	d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true }
	s := New(d.Staging(), Options{Govern: true})
	defer s.Close()
	f := iopath.NewFile(1<<20, direct, false) // a look into the page cache fails: there is no such descriptor
	s.paths.AsyncBuffered[driver.Read] = true
	var plain atomic.Int64
	s.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 {
		plain.Add(1)
		for i := range 20_000 { // keeps the processor, as a system call does
			b[0] = byte(i)
		}
		return int32(len(b))
	}
	read := func() {
		if n, err := s.ReadAt(context.Background(), f, make([]byte, 10), 0); n != 10 || err != nil {
			t.Error(n, err)
		}
	}
	start(read)
	var wg sync.WaitGroup
	var ready atomic.Int32
	begin := make(chan struct{})
	for range goroutines {
		wg.Go(func() {
			ready.Add(1)
			<-begin
			for range manyReads / goroutines {
				read()
			}
		})
	}
	hang.Eventually(func() bool { return ready.Load() == goroutines })
	plain.Store(0)
	close(begin)
	wg.Wait()
	return plain.Load()
}
