package sched

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// syncs is a Scheduler whose fsyncs the test plays.
type syncs struct {
	*Scheduler
	f       *File
	started chan struct{} // one value for each fsync that has started
	results chan int32    // results for the fsync that runs
	calls   atomic.Int32
	codes   chan driver.Code // the fsyncs that have started
}

func playSyncs(t *testing.T) *syncs {
	hang.Watch(t)
	p := &syncs{
		Scheduler: newOn(script.New(8), queueAll),
		f:         iopath.NewFile(1<<20, false, false),
		started:   make(chan struct{}, 100),
		results:   make(chan int32),
		codes:     make(chan driver.Code, 100),
	}
	p.paths.Device = func(int) (uint64, bool) { return 1, true }
	p.paths.Call = func(code driver.Code, _ int, _ []byte, _ int64) int32 {
		p.calls.Add(1)
		p.codes <- code
		p.started <- struct{}{}
		return <-p.results
	}
	t.Cleanup(func() {
		p.Close()
		if n := p.members(); n != 0 {
			t.Errorf("at the end %d Syncs gather", n)
		}
	})
	return p
}

// sync starts a Sync and returns when it has made its call or joined a group.
func (p *syncs) sync(ctx context.Context) chan error { return p.begin(ctx, p.Sync) }

// datasync starts a Datasync, likewise.
func (p *syncs) datasync(ctx context.Context) chan error { return p.begin(ctx, p.Datasync) }

func (p *syncs) begin(ctx context.Context, commit func(context.Context, *File) error) chan error {
	res := make(chan error, 1)
	before := p.members()
	go func() { res <- commit(ctx, p.f) }()
	hang.Eventually(func() bool { return p.members() > before || len(p.started) > 0 || len(res) > 0 })
	return res
}

// running starts a Sync and returns when it is in its fsync.
func (p *syncs) running(ctx context.Context) chan error {
	res := p.sync(ctx)
	<-p.started
	return res
}

// waitForPermit starts a Sync or Datasync and returns when it waits for a permit. All permits are
// taken until the test releases one.
func (p *syncs) waitForPermit(ctx context.Context, commit func(context.Context, *File) error) chan error {
	for p.hold() {
	}
	res := make(chan error, 1)
	go func() { res <- commit(ctx, p.f) }()
	hang.Eventually(func() bool { return p.waiting() == 1 })
	return res
}

// members counts the Syncs that gather for the next fsync.
func (p *syncs) members() int { return p.f.Syncer.Members() }

func want(t *testing.T, err error, c chan error) {
	t.Helper()
	if got := <-c; got != err {
		t.Errorf("Sync = %v; want %v", got, err)
	}
}

// Syncs that come while an fsync runs share the next fsync, not this one.
func TestSyncSharesTheNext(t *testing.T) {
	p := playSyncs(t)
	first := p.running(t.Context())
	var group []chan error
	for range 5 {
		group = append(group, p.sync(t.Context()))
	}
	p.results <- 0
	want(t, nil, first)
	<-p.started
	for _, c := range group {
		if len(c) > 0 {
			t.Fatal("a Sync returned while the fsync that it shares runs")
		}
	}
	after := p.sync(t.Context()) // comes when that has started: not in it
	p.results <- 0
	for _, c := range group {
		want(t, nil, c)
	}
	<-p.started
	p.results <- 0
	want(t, nil, after)
	if n, shared := p.calls.Load(), p.Stats().SharedSyncs; n != 3 || shared != 4 {
		t.Errorf("%d fsyncs, %d shared; want 3, 4", n, shared)
	}
}

// Every Sync that succeeds encloses a whole fsync, from its start to its end, and
// every Datasync a whole fsync or fdatasync, whatever leaves early in between.
func TestSyncEnclosesAnFsync(t *testing.T) {
	first := seed.Of(t)
	for round := range uint64(20) {
		p := playSyncs(t)
		var calls callTimes
		p.paths.Call = calls.play
		var all sync.WaitGroup
		for g := range uint64(16) {
			all.Go(func() {
				rnd := rand.New(rand.NewPCG(first+round, g))
				for range 50 {
					encloses(t, p, &calls, rnd)
				}
			})
		}
		all.Wait()
	}
}

// callTimes notes the fsyncs and fdatasyncs that are made.
type callTimes struct {
	clock atomic.Int64 // orders starts and ends
	mu    sync.Mutex
	calls []callTime // under mu
}

type callTime struct {
	start, end int64
	code       driver.Code
}

func (c *callTimes) play(code driver.Code, _ int, _ []byte, _ int64) int32 {
	call := callTime{start: c.clock.Add(1), code: code}
	for range call.start % 4 {
		runtime.Gosched()
	}
	call.end = c.clock.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
	return 0
}

// enclosed reports whether a call that serves it happened within it.
func (c *callTimes) enclosed(in callTime) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.calls, func(call callTime) bool {
		serves := call.code == driver.Fsync || in.code == driver.Fdatasync
		return serves && call.start > in.start && call.end < in.end
	})
}

// encloses makes a Sync or Datasync, which may be cancelled, and looks for its call.
func encloses(t *testing.T, p *syncs, calls *callTimes, rnd *rand.Rand) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if rnd.IntN(3) == 0 {
		go cancel()
	}
	code := []driver.Code{driver.Fsync, driver.Fdatasync}[rnd.IntN(2)]
	mine := callTime{start: calls.clock.Add(1), code: code}
	err := p.commit(ctx, code, p.f)
	mine.end = calls.clock.Add(1)
	if err == context.Canceled {
		return
	}
	if ok := calls.enclosed(mine); err != nil || !ok {
		t.Errorf("%v = %v; encloses a call that serves it: %t", code, err, ok)
	}
}

// Hazard: the kernel reports a failed write-back once and drops the pages, so that the fsync after
// an EIO succeeds. Guard: groupcommit.Syncer.failed. Here all Syncs that share the fsync get the
// error, also the Syncs that gather for the next one, and every later Sync, without another fsync.
func TestSyncFailureStays(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.ESTALE, syscall.ETIMEDOUT} {
		p := playSyncs(t)
		first := p.running(t.Context())
		a, b := p.sync(t.Context()), p.sync(t.Context())
		p.results <- 0
		want(t, nil, first)
		<-p.started
		c, d := p.sync(t.Context()), p.sync(t.Context())
		p.results <- -int32(errno)
		for _, res := range []chan error{a, b, c, d} {
			want(t, errno, res)
		}
		for range 3 {
			if err := p.Sync(t.Context(), p.f); err != errno {
				t.Errorf("later Sync = %v; want %v", err, errno)
			}
		}
		if n := p.calls.Load(); n != 2 {
			t.Errorf("%d fsyncs; want 2", n)
		}
	}
}

// An fsync that is not possible has lost nothing: the next Sync asks again.
func TestSyncImpossibleDoesNotStay(t *testing.T) {
	p := playSyncs(t)
	first := p.running(t.Context())
	a, b := p.sync(t.Context()), p.sync(t.Context())
	p.results <- -int32(syscall.EINVAL)
	want(t, syscall.EINVAL, first)
	<-p.started
	p.results <- -int32(syscall.EINVAL)
	want(t, syscall.EINVAL, a)
	want(t, syscall.EINVAL, b)
	c := p.running(t.Context())
	p.results <- 0
	want(t, nil, c)
}

// A Sync that waits for another's fsync leaves when its context ends. All other Syncs stay.
func TestSyncLeaves(t *testing.T) {
	p := playSyncs(t)
	first := p.running(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	leaver, stayer := p.sync(ctx), p.sync(t.Context())
	cancel()
	want(t, context.Canceled, leaver)
	p.results <- 0
	want(t, nil, first)
	<-p.started
	p.results <- 0
	want(t, nil, stayer)
	if n := p.calls.Load(); n != 2 {
		t.Errorf("%d fsyncs; want 2", n)
	}
}

// With the last one the group goes: no fsync is made for nobody.
func TestSyncLastLeaves(t *testing.T) {
	p := playSyncs(t)
	first := p.running(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	a, b := p.sync(ctx), p.sync(ctx)
	cancel()
	want(t, context.Canceled, a)
	want(t, context.Canceled, b)
	p.results <- 0
	want(t, nil, first)
	later := p.running(t.Context())
	p.results <- 0
	want(t, nil, later)
	if n := p.calls.Load(); n != 2 {
		t.Errorf("%d fsyncs; want 2", n)
	}
}

// A Sync that waits for a permit to make an fsync leaves when its context ends. The rest of its
// group makes the fsync without it.
func TestSyncLeavesWhileWaitingForPermit(t *testing.T) {
	for name, group := range map[string]bool{"Alone": false, "Group": true} {
		t.Run(name, func(t *testing.T) {
			p := playSyncs(t)
			if group {
				p.f.Syncer.Init(groupcommit.Options{Expected: 2}) // gathers, for no time
			}
			ctx, cancel := context.WithCancel(t.Context())
			leader := p.waitForPermit(ctx, p.Sync)
			stayer := p.sync(t.Context())
			cancel()
			want(t, context.Canceled, leader)
			p.letGo()
			<-p.started
			p.results <- 0
			want(t, nil, stayer)
			if n := p.calls.Load(); n != 1 {
				t.Errorf("%d fsyncs; want 1", n)
			}
		})
	}
}

// If nobody else is there, the next Sync finds all as it was.
func TestLastSyncLeavesWhileWaitingForPermit(t *testing.T) {
	for _, expected := range []int{1, 2} {
		p := playSyncs(t)
		p.f.Syncer.Init(groupcommit.Options{Expected: expected})
		ctx, cancel := context.WithCancel(t.Context())
		leader := p.waitForPermit(ctx, p.Sync)
		cancel()
		want(t, context.Canceled, leader)
		p.letGo()
		later := p.running(t.Context())
		p.results <- 0
		want(t, nil, later)
	}
}

// TestSyncTakesTickets has a class of one operation a second, in a time that stands
// still: its second Sync waits until the limit is gone, and nobody else's does.
func TestSyncTakesTickets(t *testing.T) {
	for name, sync := range map[string]func(*syncs, context.Context) error{
		"sync":     func(p *syncs, ctx context.Context) error { return p.Sync(ctx, p.f) },
		"datasync": func(p *syncs, ctx context.Context) error { return p.Datasync(ctx, p.f) },
	} {
		t.Run(name, func(t *testing.T) { syncTakesTickets(t, sync) })
	}
}

func syncTakesTickets(t *testing.T, sync func(*syncs, context.Context) error) {
	p := playSyncs(t)
	p.paths.Clock = func() time.Duration { return time.Second }
	p.paths.Call = func(driver.Code, int, []byte, int64) int32 { p.calls.Add(1); return 0 }
	c := p.Classes().New("limited", fair.Settings{Weight: 1, IOPS: 1})
	ctx := qos.WithClass(t.Context(), c)
	if err := sync(p, ctx); err != nil {
		t.Fatalf("the first = %v", err)
	}
	held, left := make(chan error), make(chan error)
	ending, cancel := context.WithCancel(ctx)
	go func() { held <- sync(p, ctx) }()
	hang.Eventually(func() bool { return c.Stats().Queued == 1 })
	go func() { left <- sync(p, ending) }()
	hang.Eventually(func() bool { return c.Stats().Queued == 2 })
	cancel()
	if err := <-left; err != context.Canceled {
		t.Errorf("one whose context has ended = %v; want context.Canceled", err)
	}
	if err := sync(p, t.Context()); err != nil || p.calls.Load() != 2 {
		t.Errorf("one of the default class = %v, and %d calls; want nil and 2", err, p.calls.Load())
	}
	c.Configure(fair.Settings{Weight: 1})
	if err := <-held; err != nil {
		t.Errorf("the one that was held = %v", err)
	}
	if s := c.Stats(); s.Requests != 2 || s.InFlight != 0 || s.Queued != 0 || p.calls.Load() != 3 {
		t.Errorf("the class has done %+v, with %d calls; want 2 requests and 3", s, p.calls.Load())
	}
}

// TestSyncClosed closes a file whose Sync waits for its ticket.
func TestSyncClosed(t *testing.T) {
	p := playSyncs(t)
	p.paths.Clock = func() time.Duration { return time.Second }
	p.paths.Call = func(driver.Code, int, []byte, int64) int32 { return 0 }
	c := p.Classes().New("limited", fair.Settings{Weight: 1, IOPS: 1})
	v := p.f.View(c)
	err := p.Sync(t.Context(), v)
	held := make(chan error, 1)
	p.f.Use()
	go func() {
		defer p.f.Done()
		held <- p.Sync(t.Context(), v)
	}()
	hang.Eventually(func() bool { return c.Stats().Queued == 1 })
	p.CloseFile(p.f)
	if err1 := <-held; err != nil || err1 != os.ErrClosed {
		t.Errorf("Sync = %v, and of a file that is closed meanwhile %v; want nil and os.ErrClosed", err, err1)
	}
}
