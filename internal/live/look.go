package live

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/trace"
)

const (
	// lookTime is how long a look lasts.
	lookTime = time.Second
	// lookEvents is how many events of it are kept: 8 MiB.
	lookEvents = 63 << 11
	// MaxFiles is the most files that Figures names.
	MaxFiles = 50
)

// looks are the looks of this process, one at a time.
var looks looker

// looker makes looks. A caller that asks while a look runs gets the figures of that look.
type looker struct {
	mu      sync.Mutex
	running *look // nil if none runs. Guarded by mu
}

// look is a look that runs, or has ended.
type look struct {
	ended   chan struct{}
	figures *Figures // set before ended is closed, as err is
	err     error
}

// figures looks with wait, or waits for the look that runs. Only one that waits for another's look
// returns when ctx ends: other callers may wait for this look, which lasts a second.
func (l *looker) figures(ctx context.Context, wait func()) (*Figures, error) {
	l.mu.Lock()
	if k := l.running; k != nil {
		l.mu.Unlock()
		select {
		case <-k.ended:
			return k.figures, k.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	k := &look{ended: make(chan struct{})}
	l.running = k
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.running = nil
		l.mu.Unlock()
		close(k.ended)
	}()
	k.figures, k.err = observe(wait)
	return k.figures, k.err
}

// observe records the operations of all Schedulers while wait runs, and counts them. It does not
// wait if there is no Scheduler.
func observe(wait func()) (*Figures, error) {
	all := inside.Schedulers()
	if len(all) == 0 {
		return newFigures(&trace.Trace{}, nil, nil, nil, 0), nil
	}
	rec, err := trace.New(trace.Options{Events: lookEvents})
	if err != nil {
		return nil, err
	}
	defer attach(all, rec)()
	before := stats(all)
	began := time.Now()
	rec.Start()
	wait()
	rec.Stop()
	took := time.Since(began)
	after := stats(all)
	return newFigures(rec.Trace(), all, before, after, took), nil
}

// attach adds rec to the Schedulers. They record with it until the returned function is called.
func attach(all []*sluice.Scheduler, rec *trace.Recorder) (detach func()) {
	core := record.Of(rec)
	for _, s := range all {
		inside.Scheduler(s).Core.Hook().Add(core)
	}
	return func() {
		for _, s := range all {
			inside.Scheduler(s).Core.Hook().Remove(core)
		}
	}
}

func stats(all []*sluice.Scheduler) []sluice.Stats {
	found := make([]sluice.Stats, len(all))
	for i, s := range all {
		found[i] = s.Stats()
	}
	return found
}

// newFigures returns the figures of a look that took so long, of its trace and the counters before
// and after it.
func newFigures(t *trace.Trace, all []*sluice.Scheduler, before, after []sluice.Stats, took time.Duration) *Figures {
	if len(all) == 0 {
		t.Meta = process()
	}
	f := &Figures{
		Program: t.Meta.Program, PID: t.Meta.PID, Go: runtime.Version(), Time: time.Now(), Seconds: took.Seconds(),
		Paths: []Path{{Name: "cached"}, {Name: "plain"}, {Name: "queued"}}, Lost: t.Meta.Lost,
	}
	for i, s := range all {
		f.addScheduler(s, before[i], after[i])
	}
	g := newGrouper(f, t)
	for _, s := range all {
		g.addNow(s)
	}
	g.finish()
	return f
}

// process describes this process, as a trace does.
func process() trace.Meta {
	rec, err := trace.New(trace.Options{Events: 1})
	if err != nil { // the description does not fit
		return trace.Meta{}
	}
	return rec.Trace().Meta
}
