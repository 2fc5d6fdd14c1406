package sched

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// An operation is a plain call or not by three things: how many are in flight, how many
// processors there are, and whether others come during a yield.
func TestPermitInline(t *testing.T) {
	for _, c := range []struct {
		name       string
		processors int
		plain      int   // plain calls in progress
		queued     int32 // operations in the queue
		dueToYield bool
		arrive     int32 // operations that are queued during the yield
		yields     bool
		want       bool
	}{
		{"alone", 2, 0, 0, false, 0, false, true},
		{"alone, and nobody else comes", 2, 0, 0, true, 0, true, true},
		{"alone, and one more comes", 2, 0, 0, true, 1, true, true},
		{"alone, and two more come", 2, 0, 0, true, 2, true, false},
		{"beside a plain call", 2, 1, 0, false, 0, false, true},
		{"beside a queued operation", 2, 0, 1, false, 0, false, true},
		{"beside two plain calls", 2, 2, 0, true, 0, false, false},
		{"beside one of each", 2, 1, 1, true, 0, false, false},
		{"beside a plain call, and nobody else comes", 2, 1, 0, true, 0, true, true},
		{"beside a plain call, and one more comes", 2, 1, 0, true, 1, true, false},
		{"beside a plain call, and many more come", 2, 1, 0, true, 30, true, false},
		{"the only processor", 1, 0, 0, true, 0, true, true},
		{"the only processor, and one more comes", 1, 0, 0, true, 1, true, false},
		{"the only processor, beside a queued operation", 1, 0, 1, true, 0, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.processors))
			f := iopath.NewFile(1<<20, true, false)
			s := New(script.New(8), Limits{InlineReads: 2, Threads: 8})
			s.QueuedOps.Store(c.queued)
			for range c.plain {
				s.hold()
			}
			if c.dueToYield {
				s.inline.candidates.Store(yieldEvery - 1)
			}
			yields := false
			s.inline.yield = func() {
				yields = true
				s.QueuedOps.Add(c.arrive)
			}
			if _, ok := s.permitInline(f, 2); ok != c.want || yields != c.yields {
				t.Errorf("a plain call %t, after a yield %t; want %t, %t", ok, yields, c.want, c.yields)
			}
		})
	}
}

// After a yield that has found others, operations are queued for a while, however few are in
// flight. After that they are plain calls again.
func TestCrowdIsRemembered(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f := iopath.NewFile(1<<20, true, false)
	s := New(script.New(8), Limits{InlineReads: 2, Threads: 8})
	s.inline.yield = func() { s.QueuedOps.Add(1) }
	s.inline.candidates.Store(yieldEvery - 1)
	if _, ok := s.permitInline(f, 2); ok {
		t.Fatal("a plain call although another operation has come")
	}
	s.QueuedOps.Store(0)
	s.inline.yield = func() { t.Error("a yield while the crowd is remembered") }
	for i := range crowdMemory {
		if _, ok := s.permitInline(f, 2); ok {
			t.Fatalf("operation %d after it is a plain call", i)
		}
	}
	if _, ok := s.permitInline(f, 2); !ok {
		t.Error("the crowd is never forgotten")
	}
}

// Goroutines that come and go while one yields are a crowd, too, if they are as many as may make plain
// calls. One that comes often is none.
func TestCrowdThatHasGone(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, c := range []struct {
		goroutines, reads int
		most              int32
		want              bool
	}{
		{0, 0, 2, true},
		{1, 15, 2, true},
		{16, 1, 2, false}, // 16, because two may be taken for one
		{3, 5, 4, true},
		{16, 1, 4, false},
	} {
		f := iopath.NewFile(1<<20, true, false)
		s := New(script.New(8), Limits{InlineReads: 2, Threads: 8})
		read := func() {
			p, ok := s.permitInline(f, c.most)
			if !ok {
				t.Error("beside one that yields there is no plain call")
				return
			}
			p.Release()
		}
		s.inline.candidates.Store(yieldEvery - 1)
		s.inline.yield = func() {
			var haveRead sync.WaitGroup // none ends before all have read, so that none has another one's number
			ended := make(chan struct{})
			haveRead.Add(c.goroutines)
			var all sync.WaitGroup
			for range c.goroutines {
				all.Go(func() {
					for range c.reads {
						read()
					}
					haveRead.Done()
					<-ended
				})
				runtime.Gosched()
			}
			haveRead.Wait()
			close(ended)
			all.Wait()
		}
		if _, ok := s.permitInline(f, c.most); ok != c.want {
			t.Errorf("%d goroutines have made %d reads each and gone: a plain call beside fewer than %d is %t; want %t",
				c.goroutines, c.reads, c.most, ok, c.want)
		}
	}
}

// A goroutine that comes while another one yields, and then yields itself, does not count itself.
func TestOneThatYieldsDoesNotCountItself(t *testing.T) {
	hang.Watch(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	f := iopath.NewFile(1<<20, true, false)
	s := New(script.New(8), Limits{InlineReads: 2, Threads: 8})
	read := func(who string) {
		p, ok := s.permitInline(f, 2)
		if !ok {
			t.Errorf("%s is queued", who)
			return
		}
		p.Release()
	}
	var second sync.WaitGroup
	secondYields, firstHasRead := make(chan bool), make(chan bool)
	s.inline.yield = func() { // the first one's
		s.inline.yield = func() { // the second one's
			secondYields <- true
			<-firstHasRead
		}
		s.inline.candidates.Store(yieldEvery - 1)
		second.Go(func() { read("the second one") })
		<-secondYields
	}
	s.inline.candidates.Store(yieldEvery - 1)
	read("the first one")
	read("the first one, again")
	firstHasRead <- true
	second.Wait()
}

// A yield that finds no others makes the next one come later, and much later if it took long; one that
// finds a crowd makes it come soon.
func TestPatience(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	f := iopath.NewFile(1<<20, true, false)
	s := New(script.New(8), Limits{InlineReads: 2, Threads: 8})
	var now, takes time.Duration
	s.Clock = func() time.Duration { return now }
	yields := 0
	count := func() { yields++; now += takes }
	s.inline.yield = count
	yieldsOf := func(calls int) int {
		yields = 0
		for range calls {
			if p, ok := s.permitInline(f, 2); ok {
				p.Release()
			}
		}
		return yields
	}
	if n := yieldsOf(yieldEvery); n != 1 {
		t.Fatalf("%d yields at first; want 1", n)
	}
	yieldsOf(2000)
	const rare, rarer = 10 * (yieldEvery + mostPatience), 10 * (yieldEvery + slowPatience)
	if n := yieldsOf(rare); n != 10 {
		t.Errorf("%d yields in %d calls of one goroutine; want 10", n, rare)
	}
	takes = sys.SlowYield
	yieldsOf(rarer)
	if n := yieldsOf(rarer); n != 10 {
		t.Errorf("%d slow yields in %d calls; want 10", n, rarer)
	}
	takes = sys.SlowYield - 1
	yieldsOf(yieldEvery + slowPatience)
	if n := yieldsOf(rare); n != 10 {
		t.Errorf("%d yields in %d calls after slow ones; want 10", n, rare)
	}
	s.inline.yield = func() { s.QueuedOps.Add(2) }
	yieldsOf(yieldEvery + mostPatience)
	s.QueuedOps.Store(0)
	s.inline.yield = count
	if n := yieldsOf(crowdMemory + yieldEvery); n != 1 {
		t.Errorf("%d yields after a crowd; want 1", n)
	}
}

// Many goroutines read on two processors, and a plain call keeps its processor until it ends.
// From each start, the reads reach the queue after few plain calls. Without yields they reach it
// only when the runtime takes a processor away, after thousands. A machine that is busy may stop
// one of the two threads for long, and the goroutines behind it: so the best of some attempts
// counts.
func TestPlainCallsDoNotLockOutTheQueue(t *testing.T) {
	const few, attempts = 200, 10
	for _, start := range []struct {
		name string
		do   func(read func())
	}{
		{"nothing in flight", func(func()) {}},
		{"after plain calls of one goroutine", func(read func()) {
			for range few {
				read()
			}
		}},
		{"after plain calls of two", func(read func()) {
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					for range few {
						read()
					}
				})
			}
			wg.Wait()
		}},
		{"after a crowd", func(read func()) {
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(read)
			}
			wg.Wait()
		}},
	} {
		for _, direct := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/direct=%t", start.name, direct), func(t *testing.T) {
				hang.Watch(t)
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
				var first, plain int64
				for range attempts {
					if first, plain = readByMany(t, direct, start.do); first <= few && plain <= manyReads/2 {
						return
					}
				}
				t.Errorf("%d plain calls before one was queued, %d of %d in all; want at most %d, and half", first, plain, manyReads, few)
			})
		}
	}
}

// manyReads is how many reads the goroutines of readByMany make.
const manyReads = 6400

// readByMany does start, and then has 16 goroutines read at once, from a file that is direct or
// not. It returns how many plain calls were made before one of their reads was queued, if none was
// before, and how many were made in all.
func readByMany(t *testing.T, direct bool, start func(read func())) (first, all int64) {
	const goroutines = 16
	d := script.New(64)
	d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true }
	s := New(d.Staging(), Limits{InlineReads: 2, InlineBufferedReads: 4, Threads: 8})
	defer s.Close()
	f := iopath.NewFile(1<<20, direct, false) // a look into the page cache fails: there is no such descriptor
	s.AsyncBuffered[driver.Read] = true
	var plain, beforeQueue atomic.Int64
	s.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 {
		plain.Add(1)
		if s.Stats().Queued == 0 {
			beforeQueue.Add(1)
		}
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
	beforeQueue.Store(0)
	close(begin)
	wg.Wait()
	return beforeQueue.Load(), plain.Load()
}
