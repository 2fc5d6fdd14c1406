package sched

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// setOnScript is a Scheduler on a script, a direct file and a TransferSet.
type setOnScript struct {
	*Scheduler
	d *script.Driver
	f *File
	g *TransferSet
}

// withTransferSet runs a test with a TransferSet. At the end nothing of it may be left.
func withTransferSet(t *testing.T, depth int, test func(t *testing.T, p setOnScript)) {
	script.Run(t, depth, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		s := newOn(drv, queueAll)
		p := setOnScript{s, d, iopath.NewFile(1<<20, true, false), s.NewTransferSet(t.Context(), iopath.NewFile(1<<20, true, false))}
		test(t, p)
		p.g.Close()
		p.f.Close(func() {}) // hangs if it is in use
		s.Close()
		wantNothing(t, s)
	})
}

// leaderWaits reports whether the leader waits in the driver.
func (p *setOnScript) leaderWaits() bool {
	var st ioengine.Stats
	p.paths.Engines.All()[0].AddTo(&st)
	return st.Blocked == 1
}

// submitted returns how many operations the driver was given.
func (p *setOnScript) submitted() int {
	p.d.Mu.Lock()
	defer p.d.Mu.Unlock()
	return len(p.d.Seen)
}

func wantNothing(t *testing.T, s *Scheduler) {
	t.Helper()
	e := s.paths.Engines.All()[0]
	var st ioengine.Stats
	if e.AddTo(&st); e.HasLeader() || st.InFlight != 0 || s.queuedOps() != 0 {
		t.Errorf("engine at the end: a leader: %t, %d in flight, %d waiting; want nothing", e.HasLeader(), st.InFlight, s.queuedOps())
	}
}

// start starts n reads, at 0, 1, 2 …
func (p setOnScript) start(t *testing.T, n int) []*Transfer {
	t.Helper()
	all := make([]*Transfer, n)
	for i := range all {
		all[i] = &Transfer{Owner: i}
		p.g.StartRead(all[i], p.f, make([]byte, 10), int64(i), 0)
	}
	return all
}

// next demands the Transfer that ends next, and its result.
func (p setOnScript) next(t *testing.T, ctx context.Context, want *Transfer, n int, err error) {
	t.Helper()
	tr, err1 := p.g.Next(context.Background())
	if err1 != nil || tr != want {
		t.Fatalf("Next = %v, %v; want number %v", tr.Owner, err1, want.Owner)
	}
	if m, err1 := tr.Result(ctx); m != n || err1 != err {
		t.Errorf("Result = %d, %v; want %d, %v", m, err1, n, err)
	}
}

// The owner reaps without a leader goroutine: there is no other leader, and none while the owner is
// elsewhere.
func TestTransferSetOwnerLeads(t *testing.T) {
	withTransferSet(t, 8, func(t *testing.T, p setOnScript) {
		p.d.Rule = func(op *driver.Op) (int32, bool) { return 10, op.Off != 2 }
		all := p.start(t, 4)
		p.next(t, t.Context(), all[0], 10, nil)
		p.next(t, t.Context(), all[1], 10, nil)
		p.next(t, t.Context(), all[3], 10, nil)
		if tr, _ := p.g.Next(ended()); tr != nil {
			t.Errorf("Next = number %v; want none", tr.Owner)
		}
		if p.paths.Engines.All()[0].HasLeader() {
			t.Error("there is a leader while the owner is elsewhere; want none")
		}
		p.d.Answer(p.d.Next(2), 0)
		p.next(t, t.Context(), all[2], 0, io.EOF)
	})
}

// The requests of a TransferSet in flight do not keep other goroutines from plain calls while its
// owner is elsewhere: that may be for long.
func TestTransferSetOwnerElsewhere(t *testing.T) {
	withTransferSet(t, 8, func(t *testing.T, p setOnScript) {
		all := p.start(t, 1)
		p.g.Submit()
		if n := p.queuedOps(); n != 0 {
			t.Errorf("%d operations count as queued; want none", n)
		}
		p.d.Answer(p.d.Next(0), 10)
		p.next(t, t.Context(), all[0], 10, nil)
		if n := p.queuedOps(); n != 0 {
			t.Errorf("%d operations count as queued at the end; want none", n)
		}
	})
}

// Operations of others are reaped while the owner is elsewhere, and while it
// leads.
func TestTransferSetBesideOthers(t *testing.T) {
	withTransferSet(t, 8, func(t *testing.T, p setOnScript) {
		p.d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), op.Off >= 100 }
		all := p.start(t, 2)
		p.g.Submit()
		other := func() {
			if n, err := p.ReadAt(t.Context(), p.f, make([]byte, 5), 100); n != 5 || err != nil {
				t.Errorf("ReadAt = %d, %v; want 5, nil", n, err)
			}
		}
		other() // hangs if it has no leader
		p.paths.Engines.All()[0].Wait()
		done := make(chan struct{})
		go func() {
			hang.Eventually(p.leaderWaits)
			other()
			other()
			p.d.Answer(p.d.Next(1), 10)
			close(done)
		}()
		p.next(t, t.Context(), all[1], 10, nil)
		<-done
		p.d.Answer(p.d.Next(0), 10)
		p.next(t, t.Context(), all[0], 10, nil)
	})
}

// An owner that waits is woken by a helper's result, with another Transfer in
// the driver.
func TestTransferSetHelperWakes(t *testing.T) {
	withTransferSet(t, 8, func(t *testing.T, p setOnScript) {
		p.d.Rule = func(op *driver.Op) (int32, bool) { return eagain, op.Off == 1 }
		p.paths.Call = func(driver.Code, int, []byte, int64) int32 {
			hang.Eventually(p.leaderWaits)
			return -int32(syscall.EIO)
		}
		all := p.start(t, 2)
		p.next(t, t.Context(), all[1], 0, syscall.EIO)
		p.d.Answer(p.d.Next(0), 10)
		p.next(t, t.Context(), all[0], 10, nil)
	})
}

// A context that ends wakes the owner, wherever it waits.
func TestTransferSetContextEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		other bool // another one leads
	}{{"leading", false}, {"asleep", true}} {
		t.Run(c.name, func(t *testing.T) {
			script.Run(t, 8, func(t *testing.T, d *script.Driver, drv driver.Driver) {
				s := newOn(drv, queueAll)
				ctx, cancel := context.WithCancel(t.Context())
				p := setOnScript{s, d, iopath.NewFile(1<<20, true, false), s.NewTransferSet(ctx, iopath.NewFile(1<<20, true, false))}
				var other Transfer
				if c.other {
					s.StartRead(&other, p.f, make([]byte, 10), 50, 0)
					d.Next(0)
				}
				all := p.start(t, 2)
				go func() {
					if c.other {
						hang.Eventually(func() bool { return hang.Parked("probe.Receive") == 1 })
					} else {
						hang.Eventually(p.leaderWaits)
					}
					cancel()
				}()
				if tr, err := p.g.Next(ctx); tr != nil || err != context.Canceled {
					t.Fatalf("Next = %v, %v; want nil, context.Canceled", tr, err)
				}
				for _, tr := range all {
					tr.Withdraw()
				}
				go func() {
					d.Until(func() bool { return len(d.Cancelled) == 2 })
					d.Answer(&all[0].r.Op, ecanceled)
					d.Answer(&all[1].r.Op, 10)
					if c.other {
						d.Answer(d.Next(0), 10)
					}
				}()
				p.next(t, ctx, all[0], 0, context.Canceled)
				p.next(t, ctx, all[1], 10, nil)
				if c.other {
					if n, err := other.Wait(t.Context()); n != 10 || err != nil {
						t.Errorf("Wait = %d, %v; want 10, nil", n, err)
					}
				}
				p.g.Close()
				s.Close()
				wantNothing(t, s)
			})
		})
	}
}

// Next with a context that has ended before returns what has ended, and does not wait for the rest.
// A stream that drops its reads calls it so.
func TestTransferSetNextAfterTheEndOfAContext(t *testing.T) {
	withTransferSet(t, 8, func(t *testing.T, p setOnScript) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		p.d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), op.Off >= 100 }
		all := p.start(t, 1)
		p.g.Submit()
		if tr, err := p.g.Next(ctx); tr != nil || err != context.Canceled {
			t.Errorf("Next = %v, %v; want nil, context canceled", tr, err)
		}
		p.d.Answer(p.d.Next(0), 10)
		// The owner of ReadAt reaps both operations.
		if n, err := p.ReadAt(t.Context(), p.f, make([]byte, 5), 100); n != 5 || err != nil {
			t.Errorf("ReadAt = %d, %v; want 5, nil", n, err)
		}
		p.paths.Engines.All()[0].Wait()
		tr, err := p.g.Next(ctx)
		if tr != all[0] || err != nil {
			t.Fatalf("Next = %v, %v; want the read that has ended", tr, err)
		}
		if n, err := tr.Result(ctx); n != 10 || err != nil {
			t.Errorf("Result = %d, %v; want 10, nil", n, err)
		}
	})
}

// The owner may close the file, with Transfers in flight that nobody else would reap, and
// with some that it has not even submitted.
func TestTransferSetOwnerClosesFile(t *testing.T) {
	withTransferSet(t, 8, func(t *testing.T, p setOnScript) {
		p.d.Rule = func(*driver.Op) (int32, bool) { return 10, true }
		all := p.start(t, 4) // 1, 2, and 1 of 4
		if n := p.submitted(); n != 3 {
			t.Errorf("%d are submitted; want 3", n)
		}
		p.CloseFile(p.f) // hangs if nobody reaps
		for _, tr := range all {
			p.next(t, t.Context(), tr, 10, nil)
		}
	})
}

// Nothing is in flight, and one Transfer not submitted.
func TestTransferSetOwnerClosesFileEarly(t *testing.T) {
	withTransferSet(t, 8, func(t *testing.T, p setOnScript) {
		p.d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true }
		first := p.start(t, 1)[0]
		// Whose leader reaps first, too.
		if n, err := p.ReadAt(t.Context(), p.f, make([]byte, 5), 100); n != 5 || err != nil {
			t.Errorf("ReadAt = %d, %v; want 5, nil", n, err)
		}
		p.paths.Engines.All()[0].Wait()
		second := p.start(t, 1)[0]
		if n := p.submitted(); n != 2 {
			t.Errorf("%d are submitted; want the two that have ended", n)
		}
		p.CloseFile(p.f) // hangs if nobody submits
		p.next(t, t.Context(), first, 10, nil)
		p.next(t, t.Context(), second, 10, nil)
	})
}

// Hazard: a goroutine that has pushed while there was a leader relies on the leader to read
// the inbox once it has retired. Guard: an owner that empties the inbox before starts a
// leader (TransferSet.Submit).
func TestTransferSetSubmitsForOthers(t *testing.T) {
	withTransferSet(t, 8, func(t *testing.T, p setOnScript) {
		p.d.Rule = func(op *driver.Op) (int32, bool) { return 10, true }
		other := new(ioengine.Requests).New()
		other.Op.Off = 100
		p.paths.Engines.All()[0].Queue(other) // the leader is gone since
		tr := p.start(t, 1)[0]
		<-other.Done() // hangs if it has no leader
		p.next(t, t.Context(), tr, 10, nil)
	})
}

// TestTransferSetStress has TransferSets and others work at the same time. None is left
// without a leader.
func TestTransferSetStress(t *testing.T) {
	start := seed.Of(t)
	for _, procs := range []int{1, 2, 4} {
		for _, c := range []struct{ groups, others, depth int }{{1, 0, 4}, {1, 1, 8}, {3, 0, 4}, {2, 3, 8}, {4, 4, 64}} {
			t.Run(fmt.Sprintf("GOMAXPROCS%d/%+v", procs, c), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				script.Run(t, c.depth, func(t *testing.T, d *script.Driver, drv driver.Driver) {
					d.Rule = func(op *driver.Op) (int32, bool) {
						if op.Off%7 == 3 {
							return eagain, true // for a helper
						}
						return fill(op.Buf, op.Off), true
					}
					s := newOn(drv, queueAll)
					s.paths.Call = func(_ driver.Code, _ int, b []byte, off int64) int32 { return fill(b, off) }
					f := iopath.NewFile(1<<20, true, false)
					var all sync.WaitGroup
					for i := range c.groups {
						all.Go(func() { readInGroup(t, s, f, rand.New(rand.NewPCG(start, uint64(i)))) })
					}
					for range c.others {
						all.Go(func() {
							b := make([]byte, 10)
							for i := range int64(300) {
								off := i % 5 // a helper performs 3
								n, err := s.ReadAt(t.Context(), f, b, off)
								wantFilled(t, "ReadAt", n, err, b, off)
							}
						})
					}
					all.Wait()
					f.Close(func() {})
					s.Close()
					wantNothing(t, s)
				})
			})
		}
	}
}

// fill reads into b at off of a file in which every byte says where it is.
func fill(b []byte, off int64) int32 {
	for i := range b {
		b[i] = byte(off) + byte(i)
	}
	return int32(len(b))
}

// wantFilled demands that a call has read all of b, at off, of fill's file. It
// clears b.
func wantFilled(t *testing.T, what string, n int, err error, b []byte, off int64) {
	t.Helper()
	want := make([]byte, len(b))
	fill(want, off)
	if n != len(b) || err != nil || !bytes.Equal(b, want) {
		t.Errorf("%s at %d = %d, %v, % x; want %d, nil, % x", what, off, n, err, b, len(b), want)
	}
	clear(b)
}

// readInGroup keeps up to ten reads in flight.
func readInGroup(t *testing.T, s *Scheduler, f *File, r *rand.Rand) {
	g := s.NewTransferSet(t.Context(), iopath.NewFile(1<<20, true, false))
	defer g.Close()
	type read struct {
		Transfer
		b   []byte
		off int64
	}
	var all [10]read
	free := []*read{}
	for i := range all {
		all[i].Owner, all[i].b = &all[i], make([]byte, 10)
		free = append(free, &all[i])
	}
	over := ended()
	for started, ended := 0, 0; ended < 500; {
		for len(free) > 0 && r.IntN(4) > 0 && started < 500 {
			started++
			rd := free[0]
			free, rd.off = free[1:], r.Int64N(100)
			g.StartRead(&rd.Transfer, f, rd.b, rd.off, 0)
		}
		if started == ended {
			continue
		}
		tr, err := g.Next(t.Context())
		for ; tr != nil; tr, _ = g.Next(over) {
			rd := tr.Owner.(*read)
			n, err := tr.Result(t.Context())
			wantFilled(t, "Result of a read", n, err, rd.b, rd.off)
			free = append(free, rd)
			ended++
		}
		if err != nil {
			t.Error(err)
		}
		if r.IntN(8) == 0 {
			runtime.Gosched()
		}
	}
}

func TestTransferSetAllocatesNothing(t *testing.T) {
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector allocates")
	}
	d := script.New(8)
	d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true }
	s := newOn(d.Staging(), queueAll)
	f := iopath.NewFile(1<<20, true, false)
	g := s.NewTransferSet(t.Context(), iopath.NewFile(1<<20, true, false))
	var tr Transfer
	b := make([]byte, 10)
	ctx := t.Context()
	allocs.None(t, "a TransferSet's read", func() error {
		d.Seen = d.Seen[:0]
		g.StartRead(&tr, f, b, 0, 0)
		if _, err := g.Next(ctx); err != nil {
			return err
		}
		_, err := tr.Result(ctx)
		return err
	})
	g.Close()
}
