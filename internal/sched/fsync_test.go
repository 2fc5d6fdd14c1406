package sched

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// playQueuedSyncs is playSyncs with a driver for fsyncs beyond inline at a
// time, which the test plays too, and Syncs of as many files as it likes. At
// the end no place is taken any more, and the driver is closed.
func playQueuedSyncs(t *testing.T, inline int) (*syncs, *script.Driver) {
	p, d := playSyncs(t), script.New(8)
	p.paths.Plain = inline
	p.paths.Device = func(int) (uint64, bool) { return 0, false } // all on one
	p.unbound()
	opened := 0
	p.SetSyncDriver(func() driver.Driver {
		opened++
		return d
	})
	t.Cleanup(func() { // before the Close of playSyncs
		wantAllReleased(t, p.Scheduler)
		wantNoSyncs(t, p)
		if err := p.Close(); err != nil || opened > 1 || d.Closed != (opened == 1) {
			t.Errorf("Close = %v; opened %d times, closed: %t", err, opened, d.Closed)
		}
	})
	return p, d
}

// wantNoSyncs fails the test unless no fsync is counted.
func wantNoSyncs(t *testing.T, p *syncs) {
	t.Helper()
	if running, queued := p.paths.Devices.None().Syncing.Load(), p.fsyncs.queued.Load(); running != 0 || queued != 0 {
		t.Errorf("at the end %d fsyncs are in progress, %d of them queued; want none", running, queued)
	}
}

// start starts a Sync of a new file.
func (p *syncs) start(ctx context.Context, fd int) (*File, chan error) {
	f, res := iopath.NewFile(fd, false, false), make(chan error, 1)
	go func() { res <- p.Sync(ctx, f) }()
	return f, res
}

// The first fsyncs are plain calls, and those beside them the driver's, with
// the file's descriptor and whatever their result is.
func TestSyncsBeyondTheFirstAreQueued(t *testing.T) {
	p, d := playQueuedSyncs(t, 2)
	_, a := p.start(t.Context(), 1)
	<-p.started
	_, b := p.start(t.Context(), 2)
	<-p.started
	f, c := p.start(t.Context(), 3)
	op := d.Next(0)
	_, e := p.start(t.Context(), 4)
	op2 := d.Next(1)
	if op.Code != driver.Fsync || op.FD != 3 || op2.FD != 4 {
		t.Errorf("the driver has a %v of %d and one of %d; want a %v of 3 and one of 4", op.Code, op.FD, op2.FD, driver.Fsync)
	}
	if st := p.Stats(); st.InFlight != 2 || st.Blocked < 2 {
		t.Errorf("Stats: %d in flight, %d blocked; want 2, at least 2", st.InFlight, st.Blocked)
	}
	d.Answer(op2, 0)
	want(t, nil, e)
	d.Answer(op, -int32(syscall.EIO))
	want(t, syscall.EIO, c)
	if err := p.Sync(t.Context(), f); err != syscall.EIO {
		t.Errorf("the Sync after one that failed = %v; want %v", err, syscall.EIO)
	}
	p.results <- 0
	p.results <- 0
	want(t, nil, a)
	want(t, nil, b)
	_, again := p.start(t.Context(), 5) // few again
	<-p.started
	p.results <- 0
	want(t, nil, again)
}

// An fsync that is queued counts, too: the next one is a plain call once few are in progress.
func TestManySyncsAreQueued(t *testing.T) {
	p, d := playQueuedSyncs(t, 2)
	var plain, queued []chan error
	var ops []*driver.Op
	for fd := 1; fd <= 2; fd++ {
		_, res := p.start(t.Context(), fd)
		<-p.started
		plain = append(plain, res)
	}
	if n, st := p.permits(), p.Stats(); n != 2 || st.Blocked < 2 {
		t.Errorf("2 plain fsyncs: %d permits are taken, Stats.Blocked = %d; want 2, at least 2", n, st.Blocked)
	}
	startQueued := func(fd int) {
		_, res := p.start(t.Context(), fd)
		ops, queued = append(ops, d.Next(len(queued))), append(queued, res)
	}
	startQueued(3)
	startQueued(4)
	for range plain {
		p.results <- 0
	}
	hang.Eventually(func() bool { return p.permits() == 0 })
	startQueued(5)
	d.Answer(ops[0], 0)
	d.Answer(ops[1], 0)
	hang.Eventually(func() bool { return p.paths.Devices.None().Syncing.Load() == 1 })
	_, res := p.start(t.Context(), 6)
	<-p.started
	p.results <- 0
	d.Answer(ops[2], 0)
	for _, res := range append(append(plain, queued...), res) {
		want(t, nil, res)
	}
}

// While a ring has a leader no fsync is a plain call: its thread may have submitted what the leader
// waits for.
func TestSyncsBesideALeader(t *testing.T) {
	p, d := playQueuedSyncs(t, 4)
	reads := p.paths.Engines.All()[0].Driver().(*script.Driver)
	f, read := iopath.NewFile(9, true, true), make(chan int32, 1)
	go func() {
		res, _ := p.paths.Queue(context.Background(), 0, driver.Read, f, make([]byte, 8), 0, 0)
		read <- res
	}()
	op := reads.Next(0)
	_, queued := p.start(t.Context(), 3)
	d.Answer(d.Next(0), 0)
	want(t, nil, queued)
	reads.Answer(op, 8)
	if n := <-read; n != 8 {
		t.Errorf("Queue = %d; want 8", n)
	}
	hang.Eventually(func() bool { return !p.paths.Engines.HasLeader() })
	_, plain := p.start(t.Context(), 4)
	<-p.started
	p.results <- 0
	want(t, nil, plain)
}

// A device whose fsyncs do not end has as many as there may be, and holds up none of
// another; nor do two.
func TestStalledSyncs(t *testing.T) {
	for _, stalled := range []int{1, 2} {
		t.Run(fmt.Sprint(stalled, " stalled"), func(t *testing.T) { stallSyncs(t, stalled) })
	}
}

func stallSyncs(t *testing.T, stalled int) {
	p, d := playQueuedSyncs(t, 0)
	d.Depth = 8
	p.paths.Device = func(fd int) (uint64, bool) { return uint64(fd % 10), true }
	d.Rule = func(op *driver.Op) (int32, bool) { return 0, op.FD%10 > int32(stalled) }
	release := make(chan struct{})
	p.paths.Call = func(_ driver.Code, fd int, _ []byte, _ int64) int32 {
		if fd%10 <= stalled {
			<-release
		}
		return 0
	}
	var all []chan error
	for n := range 50 {
		for device := 1; device <= stalled; device++ {
			_, res := p.start(t.Context(), 10*n+device)
			all = append(all, res)
		}
	}
	// Half of the driver's places. The others wait for these, without a thread.
	inProgress := func() (n int) {
		for _, d := range p.paths.Devices.All() {
			n += int(d.Syncing.Load())
		}
		return n
	}
	hang.Eventually(func() bool {
		return int(p.fsyncs.queued.Load()) == 4*stalled && p.permits() == 0 && inProgress() == len(all)
	})
	for n := range 20 { // hangs if the stalled Syncs are in the way
		_, res := p.start(t.Context(), 10*n+stalled+1)
		want(t, nil, res)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, late := p.start(ctx, 501)
	hang.Eventually(func() bool { return inProgress() == len(all)+1 })
	cancel()
	want(t, context.Canceled, late)
	close(release)
	d.Mu.Lock()
	d.Rule = func(*driver.Op) (int32, bool) { return 0, true }
	for len(d.Held) > 0 {
		d.Finish(d.Held[0], 0)
	}
	d.Mu.Unlock()
	for _, res := range all {
		want(t, nil, res)
	}
}

// Where the driver cannot make an fsync, the plain call does.
func TestSyncThatTheDriverRefuses(t *testing.T) {
	for _, refused := range []int32{einval, eagain, ecanceled} {
		p, d := playQueuedSyncs(t, 0)
		_, a := p.start(t.Context(), 1)
		d.Answer(d.Next(0), refused)
		<-p.started
		p.results <- -int32(syscall.EROFS)
		want(t, syscall.EROFS, a)
	}
}

// Without a driver for fsyncs all fsyncs need a permit. An fsync whose context ends before it has
// one leaves nothing behind.
func TestSyncsWithoutADriver(t *testing.T) {
	p := playSyncs(t)
	p.SetSyncDriver(func() driver.Driver { return nil })
	_, a := p.start(t.Context(), 1)
	<-p.started
	_, b := p.start(t.Context(), 2)
	<-p.started
	ctx, cancel := context.WithCancel(t.Context())
	_, c := p.start(ctx, 3) // queueAll lets two through
	hang.Eventually(func() bool { return p.waiting() == 1 })
	cancel()
	want(t, context.Canceled, c)
	p.results <- 0
	p.results <- 0
	want(t, nil, a)
	want(t, nil, b)
	wantNoSyncs(t, p)
}

// When the contexts of fsyncs can end, few of the fsyncs are plain calls, even if the device has
// more permits. The driver has others, and the rest end with their contexts.
func TestFewSyncsOutliveTheirContexts(t *testing.T) {
	p, d := playQueuedSyncs(t, budget.Least)
	ctx, cancel := context.WithCancel(t.Context())
	// The device has half of the driver's 8 places.
	const plain, queued, wait = budget.Least / 4, 4, 4
	var all []chan error
	for fd := range plain + queued + wait {
		_, res := p.start(ctx, 1+fd)
		all = append(all, res)
	}
	for range plain {
		<-p.started
	}
	for i := range queued {
		d.Next(i) // hangs if more fsyncs are plain calls
	}
	inProgress := &p.paths.Devices.None().Syncing
	hang.Eventually(func() bool { return inProgress.Load() == plain+queued+wait })
	cancel()
	hang.Eventually(func() bool { return inProgress.Load() == plain+queued })
	for i := range queued {
		d.Answer(d.Next(i), 0)
	}
	for range plain {
		p.results <- 0
	}
	made := 0
	for _, res := range all {
		switch err := <-res; err {
		case nil:
			made++
		case context.Canceled:
		default:
			t.Error(err)
		}
	}
	if n := p.calls.Load(); n != plain || made != plain+queued {
		t.Errorf("%d fsyncs were made, %d of them by plain calls; want %d, %d", made, n, plain+queued, plain)
	}
}
