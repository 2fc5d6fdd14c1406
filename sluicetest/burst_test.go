package sluicetest

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/driver/sim"
)

// bursts runs a narrow world. In each round many goroutines begin at one instant, and make a few
// operations of one kind. The next round begins when all have ended. So no later operation can wake
// a goroutine that was forgotten.
func (w *world) bursts(seed uint64) {
	w.narrow = true
	w.build(seed)
	for round := range 3 + w.r.IntN(8) {
		if !w.burst(seed, round) {
			return // synctest finds the goroutines that are left
		}
	}
	w.disk.disk.Well()
	w.end(false)
}

// burst is one round. It reports whether all goroutines have ended.
func (w *world) burst(seed uint64, round int) bool {
	r := w.r
	kind, one := burstKind(r.IntN(int(burstKinds))), r.IntN(len(w.files))
	frozen := sim.FirstDevice + uint64(r.IntN(6)) // often a device without files
	w.disk.disk.Freeze(frozen)
	w.note("round %d, kind %d of file %d, frozen: %d", round, kind, one, frozen)
	var slow, others sync.WaitGroup
	for a := range w.actors {
		own := &actor{w, rand.New(rand.NewPCG(seed, uint64(round)<<32+uint64(a))), a}
		switch files := w.filesOn(frozen, w.roomy && a < mostStuck); {
		case !w.roomy:
			slow.Go(func() { own.burst(kind, w.files, one) })
		case len(files) == 0:
		case a < mostStuck:
			slow.Go(func() { own.burst(transfers, files, 0) })
		default:
			others.Go(func() { own.burst(transfers+kind%2, files, one%len(files)) })
		}
	}
	if !w.within(time.Minute, &others) {
		w.fail("round %d: calls to a device that answers have waited for a frozen one", round)
		return false
	}
	w.sleep(time.Duration(r.Int64N(int64(20*time.Millisecond))), atMain)
	w.disk.disk.Thaw()
	if !w.within(mostWait, &slow) {
		w.fail("round %d: the disk answers, and after %v not all calls have ended", round, mostWait)
		return false
	}
	return true
}

// mostStuck is how many goroutines use a frozen device while all other goroutines must go on.
const mostStuck = 2

// filesOn returns the files on a device, or all other files.
func (w *world) filesOn(device uint64, on bool) (files []*worldFile) {
	for _, f := range w.files {
		fd := w.disk.disk.Open(f.name)
		if at, _ := w.disk.disk.Device(int(fd)); (at == device) == on {
			files = append(files, f)
		}
		w.disk.disk.CloseFile(fd)
	}
	return files
}

// within waits for all. It reports whether they have ended within d of the bubble's time.
func (w *world) within(d time.Duration, all *sync.WaitGroup) bool {
	ended := make(chan struct{})
	go func() { defer close(ended); all.Wait() }()
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-ended:
		return true
	case <-limit.C:
		return false
	}
}

// burstKind says which operations a round makes.
type burstKind int

const (
	anyOfAll  burstKind = iota
	anyOfOne            // of one file
	syncsOf             // of one file
	writesOf            // and syncs of one file
	transfers           // of all files
	readMany
	batches
	burstKinds
)

// burst makes a few operations.
func (a *actor) burst(kind burstKind, files []*worldFile, one int) {
	for range 1 + a.r.IntN(3) {
		i := a.r.IntN(len(files))
		if kind == anyOfOne || kind == syncsOf || kind == writesOf {
			i = one
		}
		f := files[i]
		f.mu.Lock()
		h := f.handle
		f.mu.Unlock()
		write := func(ctx context.Context, b []byte, off int64) (int, error) { return h.WriteAtContext(ctx, b, off) }
		switch kind {
		case syncsOf:
			a.commit(f, h)
		case writesOf:
			a.write(f, write)
			a.commit(f, h)
		case transfers:
			if a.r.IntN(2) == 0 {
				a.write(f, write)
			} else {
				a.check(f, i)
			}
		case batches:
			a.batch(f, h)
		case readMany:
			a.readMany(f, h)
		default:
			a.step(f, i)
		}
		a.mu.Lock()
		a.ops++
		a.mu.Unlock()
	}
}

// readMany reads parts of the actor's region by ReadMany.
func (a *actor) readMany(f *worldFile, h any) {
	d, ok := h.(*direct.File)
	if !ok {
		a.check(f, 0)
		return
	}
	var ranges []direct.Range
	for range 1 + a.r.IntN(8) {
		first, n := a.region()
		ranges = append(ranges, direct.Range{Off: int64(first * cellSize), Len: n * cellSize})
	}
	o := direct.ReadManyOptions{Depth: 1 + a.r.IntN(4), MergeSize: -a.r.IntN(2), Unordered: a.r.IntN(2) == 0}
	ctx, cancel := a.context()
	defer cancel()
	left := a.r.IntN(2 * len(ranges))
	for got, err := range d.ReadMany(ctx, slices.Values(ranges), o) {
		a.expected("ReadMany", err)
		a.note("%d reads range %d+%d of %s: %v", a.me, got.Off, got.Len, f.name, err)
		if got.Buffer.Bytes() != nil {
			a.compare(f, got.Buffer.Bytes(), int(got.Off), "ReadMany")
			got.Buffer.Release()
		}
		if left--; left == 0 {
			break
		}
	}
}

// canceled returns a context that is canceled after a few turns of other goroutines, perhaps at the
// end of a wait.
func (a *actor) canceled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	turns, wait := a.r.IntN(20), time.Duration(0)
	if a.r.IntN(2) == 0 {
		// Operations end then.
		wait = a.instant(time.Duration(a.r.Int64N(int64(time.Millisecond))), 0)
	}
	timer := time.AfterFunc(wait, func() {
		for range turns {
			runtime.Gosched()
		}
		cancel()
	})
	return ctx, func() { timer.Stop(); cancel() }
}
