package sched

import (
	"context"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/record"
)

// wantStarted waits until a call has started, and compares what it is.
func (p *syncs) wantStarted(t *testing.T, want driver.Code) {
	t.Helper()
	<-p.started
	if got := <-p.codes; got != want {
		t.Errorf("the call is %v; want %v", got, want)
	}
}

// A group makes the least call that serves all its members: an fsync if there is a Sync among them,
// whichever comes first, otherwise an fdatasync.
func TestGroupMakesWhatServesAll(t *testing.T) {
	const s, d = driver.Fsync, driver.Fdatasync
	for name, c := range map[string]struct {
		members []driver.Code
		want    driver.Code
	}{
		"Datasync":                 {[]driver.Code{d}, d},
		"Datasyncs":                {[]driver.Code{d, d, d}, d},
		"Sync":                     {[]driver.Code{s}, s},
		"Sync, then Datasyncs":     {[]driver.Code{s, d, d}, s},
		"Datasyncs, then a Sync":   {[]driver.Code{d, d, s}, s},
		"a Sync between Datasyncs": {[]driver.Code{d, s, d}, s},
	} {
		t.Run(name, func(t *testing.T) {
			p := playSyncs(t)
			first := p.datasync(t.Context())
			p.wantStarted(t, driver.Fdatasync)
			var group []chan error
			for _, code := range c.members {
				group = append(group, p.begin(t.Context(), func(ctx context.Context, f *File) error { return p.commit(ctx, code, f) }))
			}
			p.results <- 0
			want(t, nil, first)
			p.wantStarted(t, c.want)
			p.results <- 0
			for _, res := range group {
				want(t, nil, res)
			}
			if n, shared := p.calls.Load(), p.Stats().SharedSyncs; n != 2 || shared != int64(len(group)-1) {
				t.Errorf("%d calls, %d shared; want 2, %d", n, shared, len(group)-1)
			}
		})
	}
}

// A Sync that comes while its group's leader waits for a permit is in time to make
// an fsync of it.
func TestSyncJoinsWhileLeaderWaitsForPermit(t *testing.T) {
	p := playSyncs(t)
	p.f.Syncer.Init(groupcommit.Options{Expected: 2}) // gathers, for no time
	leader := p.waitForPermit(t.Context(), p.Datasync)
	joined := p.sync(t.Context())
	p.letGo()
	p.wantStarted(t, driver.Fsync)
	late := p.sync(t.Context()) // comes when that has started: not in it
	p.results <- 0
	want(t, nil, leader)
	want(t, nil, joined)
	p.wantStarted(t, driver.Fsync)
	p.results <- 0
	want(t, nil, late)
}

// A Sync is never served by an fdatasync, also not by one that starts after it was
// called.
func TestSyncIsNotServedByFdatasync(t *testing.T) {
	p := playSyncs(t)
	first := p.datasync(t.Context())
	p.wantStarted(t, driver.Fdatasync)
	res := p.sync(t.Context())
	p.results <- 0
	want(t, nil, first)
	p.wantStarted(t, driver.Fsync)
	if len(res) > 0 {
		t.Error("the Sync returned before its fsync")
	}
	p.results <- 0
	want(t, nil, res)
}

// When the only Sync of a group leaves, an fdatasync serves the remaining members.
func TestOnlySyncLeaves(t *testing.T) {
	p := playSyncs(t)
	first := p.datasync(t.Context())
	p.wantStarted(t, driver.Fdatasync)
	ctx, cancel := context.WithCancel(t.Context())
	stayer, leaver := p.datasync(t.Context()), p.sync(ctx)
	cancel()
	want(t, context.Canceled, leaver)
	p.results <- 0
	want(t, nil, first)
	p.wantStarted(t, driver.Fdatasync)
	p.results <- 0
	want(t, nil, stayer)
}

// The only Sync of a group may lead it, and leave while it waits for a permit.
func TestOnlySyncLeavesWhileWaitingForPermit(t *testing.T) {
	p := playSyncs(t)
	p.f.Syncer.Init(groupcommit.Options{Expected: 2}) // gathers, for no time
	ctx, cancel := context.WithCancel(t.Context())
	leader := p.waitForPermit(ctx, p.Sync)
	stayer := p.datasync(t.Context())
	cancel()
	want(t, context.Canceled, leader)
	p.letGo()
	p.wantStarted(t, driver.Fdatasync)
	p.results <- 0
	want(t, nil, stayer)
}

// Hazard: a Sync and a Datasync at the same time, or two Datasyncs, on one open file description:
// the kernel reports a lost write-back to one of them alone. Guard: they share a call, or the later
// waits and gets the error of the earlier.
func TestDatasyncFailureStays(t *testing.T) {
	for _, first := range []driver.Code{driver.Fsync, driver.Fdatasync} {
		p := playSyncs(t)
		commit := func(code driver.Code) chan error {
			return p.begin(t.Context(), func(ctx context.Context, f *File) error { return p.commit(ctx, code, f) })
		}
		fails := commit(first)
		p.wantStarted(t, first)
		sync, datasync := commit(driver.Fsync), commit(driver.Fdatasync)
		p.results <- -int32(syscall.EIO)
		for _, res := range []chan error{fails, sync, datasync, commit(driver.Fsync), commit(driver.Fdatasync)} {
			want(t, syscall.EIO, res)
		}
		if n := p.calls.Load(); n != 1 {
			t.Errorf("after a failed %v: %d calls; want 1", first, n)
		}
	}
}

// If a file does not remember errors, the group that gathered while the fsync failed gets its error
// as well. A later Sync asks the kernel.
func TestFailureOfAForgetfulFile(t *testing.T) {
	p := playSyncs(t)
	p.f.Syncer.Init(groupcommit.Options{ForgetErrors: true})
	first := p.sync(t.Context())
	p.wantStarted(t, driver.Fsync)
	a, b := p.sync(t.Context()), p.datasync(t.Context())
	p.results <- -int32(syscall.ENOSPC)
	for _, res := range []chan error{first, a, b} {
		want(t, syscall.ENOSPC, res)
	}
	later := p.sync(t.Context())
	p.wantStarted(t, driver.Fsync)
	p.results <- 0
	want(t, nil, later)
}

// An fsync that was impossible is no failure for the group that gathered.
func TestImpossibleFsyncOfAForgetfulFile(t *testing.T) {
	p := playSyncs(t)
	p.f.Syncer.Init(groupcommit.Options{ForgetErrors: true})
	first := p.sync(t.Context())
	p.wantStarted(t, driver.Fsync)
	a := p.sync(t.Context())
	p.results <- -int32(syscall.EINVAL)
	want(t, syscall.EINVAL, first)
	p.wantStarted(t, driver.Fsync)
	p.results <- 0
	want(t, nil, a)
}

// The driver gets the kind of sync that was asked for, and so does the plain call that is made
// where the driver refuses.
func TestDatasyncIsQueued(t *testing.T) {
	p, d := playQueuedSyncs(t, 0)
	res := make(chan error, 1)
	go func() { res <- p.Datasync(t.Context(), p.f) }()
	op := d.Next(0)
	if op.Code != driver.Fdatasync || int(op.FD) != p.f.FD {
		t.Errorf("the driver has a %v of %d; want a %v of %d", op.Code, op.FD, driver.Fdatasync, p.f.FD)
	}
	d.Answer(op, 0)
	want(t, nil, res)
	go func() { res <- p.Datasync(t.Context(), p.f) }()
	d.Answer(d.Next(1), einval)
	p.wantStarted(t, driver.Fdatasync)
	p.results <- 0
	want(t, nil, res)
}

// Each is recorded as what was asked for, also where another's call has served it.
func TestSharedDatasyncIsRecorded(t *testing.T) {
	p := playSyncs(t)
	r := record.New(record.Options{Names: 1})
	r.Start()
	p.paths.Recording.Set(r)
	first := p.sync(t.Context())
	p.wantStarted(t, driver.Fsync)
	a, b := p.sync(t.Context()), p.datasync(t.Context())
	p.results <- 0
	want(t, nil, first)
	p.wantStarted(t, driver.Fsync)
	p.results <- 0
	want(t, nil, a)
	want(t, nil, b)
	p.paths.Recording.Set(nil)
	type kindPath struct{ kind, path uint8 }
	got := map[kindPath]int{}
	r.Collect(record.Sink{
		Op:   func(o record.Op, _ uint32) { got[kindPath{o.Kind, o.Path}]++ },
		Call: func(record.Call, uint32) {},
	})
	// Either of the two may have made the second call.
	fsyncs := got[kindPath{uint8(driver.Fsync), record.PathPlain}]
	sync := got[kindPath{uint8(driver.Fsync), record.PathShared}]
	datasync := got[kindPath{uint8(driver.Fdatasync), record.PathShared}]
	if fsyncs != 2 || sync+datasync != 1 || len(got) != 2 {
		t.Errorf("records by kind and path: %v; want two fsyncs and one that is shared", got)
	}
}
