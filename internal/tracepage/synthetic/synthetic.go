// Package synthetic makes traces for tests of the page.
package synthetic

import (
	"cmp"
	"container/heap"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sluiceio/sluice/trace"
)

// Trace returns a trace of n operations of a program that reads at random, writes a
// log, and works in bursts, with pauses and errors. Sometimes the disk stalls. The same
// seed gives the same trace.
func Trace(seed uint64, n int) *trace.Trace {
	g := &generator{r: rand.New(rand.NewPCG(seed, 1)), t: &trace.Trace{
		Meta: trace.Meta{
			Program: "synthetic", PID: 4711, Driver: "uring", OS: "linux", Arch: "amd64", Kernel: "6.18.0", CPU: "a processor",
			Cores: 8, GoMaxProcs: 8, Memory: 32 << 30, GoVersion: "go1.26", Start: time.Unix(1_760_000_000, 0),
		},
		Files:   []string{"", "/srv/db/000012.sst", "/srv/db/000013.sst", "/srv/db/wal.log", "/srv/db/MANIFEST-000007", "/srv/db/compaction/a-long-name-of-a-file-that-has-no-room-beside-its-lane.sst"},
		Classes: []string{"default", "foreground", "<background>"},
		Labels:  []string{"", "role=log", "level=3 role=<compaction>"},
	}}
	for i := range 40 {
		heap.Push(&g.idle, worker{at: time.Duration(g.r.Int64N(1e6)), id: i})
	}
	for len(g.t.Ops) < n {
		g.step()
	}
	g.finish()
	return g.t
}

// generator makes the operations of its workers, each one after the other.
type generator struct {
	r    *rand.Rand
	t    *trace.Trace
	idle workers
}

type worker struct {
	at time.Duration
	id int
}

func (g *generator) step() {
	w := heap.Pop(&g.idle).(worker)
	o := g.op(w)
	g.t.Ops = append(g.t.Ops, o)
	pause := time.Duration(g.r.ExpFloat64() * 20e3)
	if o.Queued/(200*time.Millisecond)%5 == 4 { // now and then little happens
		pause *= 40
	}
	heap.Push(&g.idle, worker{at: o.Woken + pause, id: w.id})
	if g.r.IntN(30) == 0 {
		g.call(o)
	}
}

func (g *generator) op(w worker) trace.Op {
	o := trace.Op{
		Kind: trace.KindRead, File: 1 + int32(w.id%2), Goroutine: uint32(w.id+1) * 2654435761, Class: uint8(w.id % 3),
		Offset: g.r.Int64N(1<<20) << 12, Size: 4096, Queued: w.at, Batch: 1 + g.r.Int32N(16), Path: trace.PathQueued, Driver: "uring", Ring: uint8(w.id % 2),
	}
	wait, device, wake := g.r.ExpFloat64()*8e3, 60e3+g.r.ExpFloat64()*50e3, 500+g.r.ExpFloat64()*3e3
	switch {
	case w.id < 3: // the log
		o.Kind, o.File, o.Size = trace.KindWrite, 3, 1<<12+g.r.Int64N(1<<16)
		o.Path, o.Driver, o.Batch = trace.PathPlain, "", 0
		wait, wake = 0, 0
		if g.r.IntN(4) == 0 {
			o.Kind, o.Size, o.Offset = trace.KindFdatasync, 0, 0
			o.Path = trace.Path(1 + g.r.IntN(3))
			device *= 20
		}
	case w.id < 6: // a compaction
		o.File, o.Size, o.Kind = 5, 1<<20, trace.Kind(1+g.r.IntN(2))
		device *= 12
	case g.r.IntN(3) == 0:
		o.Path, o.Driver, o.Batch = trace.PathCached, "", 0
		wait, device, wake = 0, 300+g.r.ExpFloat64()*1500, 0
	case g.r.IntN(40) == 0:
		o.File, o.Kind, o.Size, o.Offset = 4, trace.KindFsync, 0, 0
		device *= 30
	case g.r.IntN(500) == 0:
		o.Kind, o.File, o.Size = 0, 0, 0
	}
	if g.r.IntN(20_000) == 0 { // the disk does not answer
		device += 50e6 + g.r.Float64()*300e6
	}
	o.Label = g.label(w.id)
	o.Submitted = o.Queued + time.Duration(wait)
	o.Completed = o.Submitted + time.Duration(device)
	o.Woken = o.Completed + time.Duration(wake)
	o.Result = g.result(o.Size)
	return o
}

// label returns the label of a worker, as Trace.Labels has it. Most have none.
func (g *generator) label(id int) int32 {
	switch {
	case id < 3:
		return 1
	case id < 6:
		return 2
	}
	return 0
}

// result returns the result of an operation: sometimes an error, or a short count.
func (g *generator) result(size int64) int64 {
	switch g.r.IntN(2000) {
	case 0:
		return -5 // EIO
	case 1:
		return -28 // ENOSPC
	case 2:
		return size / 2
	}
	return size
}

func (g *generator) call(o trace.Op) {
	g.t.Calls = append(g.t.Calls, trace.Call{
		Start: o.Submitted, Duration: time.Duration(800 + g.r.ExpFloat64()*3e3), Batch: o.Batch, Wait: g.r.Int32N(3),
		Result: o.Batch, Syscall: "io_uring_enter", Driver: "uring", Ring: o.Ring,
	})
}

// finish makes the trace valid for trace.Read.
func (g *generator) finish() {
	slices.SortStableFunc(g.t.Ops, func(a, b trace.Op) int { return cmp.Compare(a.Queued, b.Queued) })
	slices.SortStableFunc(g.t.Calls, func(a, b trace.Call) int { return cmp.Compare(a.Start, b.Start) })
	for i := range g.t.Ops {
		g.t.Meta.Duration = max(g.t.Meta.Duration, g.t.Ops[i].Woken)
	}
}

// workers is a heap, by time.
type workers []worker

func (w workers) Len() int           { return len(w) }
func (w workers) Less(i, j int) bool { return w[i].at < w[j].at }
func (w workers) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *workers) Push(x any)        { *w = append(*w, x.(worker)) }
func (w *workers) Pop() any {
	last := len(*w) - 1
	x := (*w)[last]
	*w = (*w)[:last]
	return x
}

// Linked returns a trace of a program on io_uring whose operations have system calls and batch
// mates: in each round three reads are submitted by one call, and a Sync shares another's fsync.
func Linked(rounds int) *trace.Trace {
	t := &trace.Trace{
		Files: []string{"", "/data/a", "/data/b"}, Labels: []string{"", "role=reader", "role=writer"},
		Meta: trace.Meta{Program: "linked", Driver: "uring", OS: "linux", Arch: "amd64"},
	}
	for round := range rounds {
		at := time.Duration(round) * 100 * time.Microsecond
		for k := range 3 {
			t.Ops = append(t.Ops, trace.Op{
				Queued: at + time.Duration(k)*200, Submitted: at + 1000, Completed: at + 20_000 + time.Duration(k)*1000, Woken: at + 25_000,
				Offset: int64(round*3+k) << 12, Size: 4096, Result: 4096, File: 1, Goroutine: uint32(k + 1), Label: 1, Batch: 3,
				Kind: trace.KindRead, Path: trace.PathQueued, Driver: "uring",
			})
		}
		t.Ops = append(t.Ops,
			trace.Op{Queued: at + 2000, Submitted: at + 2500, Completed: at + 90_000, Woken: at + 91_000, File: 2, Goroutine: 9, Label: 2, Kind: trace.KindFsync, Path: trace.PathPlain},
			trace.Op{Queued: at + 2100, Submitted: at + 2400, Completed: at + 90_500, Woken: at + 92_000, File: 2, Goroutine: 10, Kind: trace.KindFsync, Path: trace.PathShared},
			trace.Op{Queued: at + 3000, Submitted: at + 3000, Completed: at + 4000, Woken: at + 4000, File: 2, Goroutine: 9, Label: 2, Size: 10, Result: 10, Kind: trace.KindWrite, Path: trace.PathPlain},
		)
		t.Calls = append(t.Calls,
			trace.Call{Start: at + 1100, Duration: 2000, Batch: 3, Result: 3, Syscall: "io_uring_enter", Driver: "uring"},
			trace.Call{Start: at + 5000, Duration: 17_000, Wait: 1, Result: 3, Syscall: "io_uring_enter", Driver: "uring"},
		)
	}
	return t
}
