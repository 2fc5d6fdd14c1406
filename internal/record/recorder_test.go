package record

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// collected returns the contents of a Recorder.
func collected(r *Recorder) (ops []Op, calls []Call, about Recording) {
	about = r.Collect(Sink{
		Op:   func(o Op, _ uint32) { ops = append(ops, o) },
		Call: func(c Call, _ uint32) { calls = append(calls, c) },
	})
	return ops, calls, about
}

func TestRecords(t *testing.T) {
	r := New(Options{Names: 100})
	var ref FileRef
	at := Now()
	want := Op{
		Queued: at, Submitted: at + 1, Completed: at + 1<<40, Woken: at + 1<<40 + 3, Off: -1, Size: 1 << 20, Res: -5,
		File: r.File(&ref, "name"), Batch: 7, Kind: KindWrite, Path: PathQueued, Drv: DriverAIO, Ring: 200,
	}
	r.PutOp(&want)
	r.PutOp(&Op{Queued: at + 5, Submitted: 3, Woken: at + 4})
	call := Call{Start: at, End: at + 9, Batch: 3, Wait: -2, Res: -4, Syscall: SysIOSubmit, Drv: DriverAIO, Ring: 3}
	r.PutCall(&call)
	ops, calls, about := collected(r)
	began := r.head.began
	if len(ops) != 2 || len(calls) != 1 || about.Total != 3 {
		t.Fatalf("%d operations, %d calls, %d asked for; want 2, 1, 3", len(ops), len(calls), about.Total)
	}
	for _, o := range ops {
		o.Queued, o.Submitted, o.Completed, o.Woken = o.Queued+began, o.Submitted+began, o.Completed+began, o.Woken+began
		if o.Kind != KindWrite {
			// An unknown time equals the one before.
			if o.Queued != at+5 || o.Submitted != at+5 || o.Completed != at+5 || o.Woken != at+5 {
				t.Errorf("times that are not known: %+v; want %d", o, at+5)
			}
		} else if o != want {
			t.Errorf("recorded %+v; want %+v", o, want)
		}
	}
	calls[0].Start, calls[0].End = calls[0].Start+began, calls[0].End+began
	if calls[0] != call {
		t.Errorf("recorded %+v; want %+v", calls[0], call)
	}
	if fmt.Sprint(about.Files) != "[ name]" || about.Keep {
		t.Errorf("recording is %+v; want a file called name", about)
	}
}

// TestFull makes more records than there is room for, in several goroutines. Each record is stored
// once, or lost.
func TestFull(t *testing.T) {
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprintf("keep=%v", keep), func(t *testing.T) {
			r := New(Options{Events: 1, Keep: keep})
			const goroutines = 10
			each := r.Events()
			var all sync.WaitGroup
			for g := range goroutines {
				all.Go(func() {
					for i := range each {
						r.PutOp(&Op{Queued: r.head.began, Off: int64(g*each + i)})
					}
				})
			}
			all.Wait()
			ops, _, about := collected(r)
			if about.Total != int64(goroutines*each) {
				t.Errorf("asked for %d; want %d", about.Total, goroutines*each)
			}
			// The chunks of each goroutine's stripes are not full.
			if least := r.Events() - len(r.stripes)*perChunk; len(ops) < least || len(ops) > r.Events() {
				t.Errorf("%d are kept; want %d to %d", len(ops), least, r.Events())
			}
			seen := map[int64]bool{}
			for _, o := range ops {
				if seen[o.Off] {
					t.Fatalf("operation %d is there twice", o.Off)
				}
				seen[o.Off] = true
			}
		})
	}
}

// TestWhich checks that a goroutine's last records are kept, or with Keep its first.
func TestWhich(t *testing.T) {
	for _, keep := range []bool{false, true} {
		r := New(Options{Events: 1, Keep: keep})
		total := 10 * r.Events()
		for i := range total {
			r.PutOp(&Op{Queued: r.head.began, Off: int64(i)})
		}
		first := int64(total - r.Events())
		if keep {
			first = 0
		}
		ops, _, _ := collected(r)
		for _, o := range ops {
			if o.Off < first || o.Off >= first+int64(r.Events()) {
				t.Fatalf("keep %v: operation %d of %d is kept; there is room for %d", keep, o.Off, total, r.Events())
			}
		}
		// When a stack grows or moves, the stripe changes.
		if least := r.Events() - 4*perChunk; len(ops) < least {
			t.Errorf("keep %v: %d are kept; want at least %d", keep, len(ops), least)
		}
	}
}

// TestKeepLong checks that a stripe takes no more places once the memory is full. After 2^24 more
// places it would overwrite another stripe's records.
func TestKeepLong(t *testing.T) {
	r := New(Options{Events: 1, Keep: true})
	made := 0
	put := func(stripe uint32, off int64) {
		made++
		if e, word := r.claim(stripe); e != nil {
			e.off = off
			e.word.Store(word)
		}
	}
	const stripes = 8 // in turns, so that the chunk of a stripe's next turn is another stripe's
	for i := range r.Events() + 1000 {
		put(uint32(i%stripes), 1)
	}
	before, _, _ := collected(r)
	for i := range uint32(stripes) { // as many operations later
		if s := &r.stripes[i]; s.pos.Load()&posMask >= perChunk {
			s.pos.Or(posMask)
		}
		put(i, 2)
		put(i, 2)
	}
	ops, _, about := collected(r)
	for _, o := range ops {
		if o.Off != 1 {
			t.Fatal("an operation is recorded after the memory was full")
		}
	}
	if len(ops) != len(before) || about.Total != int64(made) {
		t.Errorf("%d operations of %d are kept, %d asked for; want %d of %d", len(ops), about.Total, made, len(before), made)
	}
}

// TestWhole records while other goroutines read. Each record is returned as it was made, without
// parts of another one.
func TestWhole(t *testing.T) {
	r := New(Options{Events: 1})
	stop := make(chan struct{})
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				v := g<<20 | i&(1<<20-1)
				r.PutOp(&Op{Queued: r.head.began, Off: int64(v), Size: v, Res: int32(v), File: uint32(v)})
			}
		})
	}
	for range 200 {
		ops, _, _ := collected(r)
		for _, o := range ops {
			if o.Off != int64(o.Size) || o.Off != int64(o.Res) || o.Off != int64(o.File) {
				t.Fatalf("parts of several records: %+v", o)
			}
		}
	}
	close(stop)
	all.Wait()
}

// TestLate holds a goroutine up between taking a place and writing to it, until another one has the
// place. Only the late record is lost.
func TestLate(t *testing.T) {
	r := New(Options{Events: 1})
	hash := uint32(5)
	e, word := r.claim(hash)
	for i := range 2 * r.Events() {
		if f, w := r.claim(hash + 1 + uint32(i%7)); f != nil {
			f.off = 1
			f.word.Store(w)
		}
	}
	e.off = 2
	e.word.Store(word)
	for range 3 {
		if f, w := r.claim(hash); f != nil {
			f.off = 3
			f.word.Store(w)
		}
	}
	n := map[int64]int{}
	ops, _, about := collected(r)
	for _, o := range ops {
		n[o.Off]++
	}
	if n[2] != 1 || n[3] != 3 || about.Total != int64(2*r.Events()+4) {
		t.Errorf("records by goroutine: %v, of %d; want one by 2, three by 3", n, about.Total)
	}
}

// TestStale checks that nothing is written to a place with a record of a later turn.
func TestStale(t *testing.T) {
	var e event
	e.word.Store(5 << 1)
	if f, _ := e.lock(4); f != nil {
		t.Error("lock succeeded for a place of a later turn")
	}
	if f, w := e.lock(5); f != &e || w != 5<<1 {
		t.Error("lock failed for a free place")
	}
	if f, _ := e.lock(6); f != nil {
		t.Error("lock succeeded for a place that is being written to")
	}
	var c chunk
	if !c.setTurn(7) || c.setTurn(6) || !c.setTurn(8) {
		t.Error("a chunk's turn goes back, or not on")
	}
}

func TestNames(t *testing.T) {
	r := New(Options{Names: 1})
	var a, b, c FileRef
	if r.File(&a, "one") != 1 || r.File(&b, "two") != 2 || r.File(&c, "one") != 1 || r.File(&a, "whatever") != 1 {
		t.Error("names have other numbers than 1, 2, 1")
	}
	var unknown FileRef
	if r.File(&unknown, "") != 0 {
		t.Error("no name has a number")
	}
	rnd, full := seed.Rand(t), false
	for range 2 * pageSize {
		var ref FileRef
		// If one name does not fit, no later one does.
		n := r.File(&ref, fmt.Sprintf("%020d", rnd.Uint64()))
		if full && n != 0 {
			t.Fatal("there is room for a name where there was none")
		}
		full = n == 0
	}
	if !full {
		t.Fatal("there is room for more names than fit")
	}
	if list := r.recording().Files; list[1] != "one" || list[2] != "two" || len(list) < 100 {
		t.Errorf("%d names, of which the first are %q", len(list), list[:3])
	}
	other := New(Options{Names: 1})
	n := other.File(&b, "two")
	if list := other.recording().Files; n != 1 || list[1] != "two" {
		t.Errorf("another Recorder gives a name %d; want its own number 1", n)
	}
}

// TestClasses checks that names of classes and of files share memory and have separate numbers.
// Each record has both.
func TestClasses(t *testing.T) {
	r := New(Options{Names: 1})
	r.Start()
	var h Hook
	h.Set(r)
	a, b, again := ClassRef{Name: "point"}, ClassRef{Name: "bulk"}, ClassRef{Name: "point"}
	for i, c := range []*ClassRef{nil, &a, &b, &again} {
		var ref FileRef
		h.Op(&Op{Queued: Now(), Off: int64(i), Path: PathShared}, &ref, fmt.Sprint("file", i), c)
	}
	want := map[int64]uint8{0: 0, 1: 1, 2: 2, 3: 1}
	got := r.Collect(Sink{Op: func(o Op, _ uint32) {
		if o.Class != want[o.Off] || o.Path != PathShared || o.File != uint32(o.Off)+1 {
			t.Errorf("record %d is of class %d, path %d and file %d; want class %d, path %d, file %d",
				o.Off, o.Class, o.Path, o.File, want[o.Off], PathShared, o.Off+1)
		}
		delete(want, o.Off)
	}})
	if len(want) > 0 || !slices.Equal(got.Classes, []string{"default", "point", "bulk"}) || len(got.Files) != 5 {
		t.Errorf("not recorded: %v; classes %q, files %q", want, got.Classes, got.Files)
	}
}

// TestClassesFull checks that classes without a number are in the class others, and not in the
// default class.
func TestClassesFull(t *testing.T) {
	r := New(Options{Names: 1})
	for i := range 2 * maxClasses {
		c := ClassRef{Name: fmt.Sprint("class", i)}
		if n, want := int(r.Class(&c)), min(i+1, maxClasses); n != want || int(r.Class(&c)) != want {
			t.Fatalf("class %d has number %d; want %d", i+1, n, want)
		}
	}
	list := r.recording().Classes
	if len(list) != maxClasses+1 || list[maxClasses-1] != "class61" || list[maxClasses] != "others" {
		t.Errorf("classes are %q; want 62 names, and others", list)
	}
	if r.Class(&ClassRef{}) != 0 || r.Class(&ClassRef{Name: "class0"}) != 1 {
		t.Error("a class without a name, or the first one, has another number than before")
	}
}

func TestAllocates(t *testing.T) {
	r := New(Options{Events: 1, Names: 1})
	r.Start()
	var h Hook
	h.Set(r)
	var ref FileRef
	class := ClassRef{Name: "class"}
	ctx := t.Context()
	allocs.None(t, "recording", func() error {
		at := h.Now()
		h.Op(&Op{Queued: at, Woken: h.Now()}, &ref, "name", &class)
		h.Call(at, Call{Syscall: SysPread})
		h.Region(ctx, "region").End()
		return nil
	})
}

func TestHook(t *testing.T) {
	var h Hook
	var ref FileRef
	if h.Now() != 0 {
		t.Error("Now is not 0 although nothing is recorded")
	}
	h.Op(&Op{}, &ref, "", nil)
	h.Call(1, Call{})
	r := New(Options{})
	h.Set(r)
	if h.Now() != 0 {
		t.Error("there is a time although the Recorder is off")
	}
	r.Start()
	if Built && h.Now() == 0 {
		t.Error("there is no time although the Recorder is on")
	}
	h.Call(0, Call{})
	if ops, calls, _ := collected(r); len(ops)+len(calls) > 0 {
		t.Error("what had no time was recorded")
	}
	at := Now()
	h.Call(at, Call{Batch: 1})
	h.Call(at, Call{Batch: 2, End: at + 4})
	_, calls, _ := collected(r)
	for _, c := range calls {
		if took := c.End - c.Start; c.Batch == 1 && took > Now()-at || c.Batch == 2 && took != 4 {
			t.Errorf("the call %+v took %d; want until now, or 4", c, took)
		}
	}
	if Built && len(calls) != 2 {
		t.Errorf("the calls are %+v; want two", calls)
	}
}

// TestAnother checks that a Hook made by Another records whenever the first one does, with a
// different number.
func TestAnother(t *testing.T) {
	r := New(Options{})
	var h Hook
	early := h.Another()
	h.Set(r)
	late := h.Another()
	for i, o := range []*Hook{&h, early, late} {
		if o.rec.Load() != r || int(o.ring.Load()) != i {
			t.Errorf("hook %d has ring %d; want the Recorder, and its own number", i, o.ring.Load())
		}
	}
	h.Set(nil)
	if early.Recording() || late.Recording() {
		t.Error("another goes on when the Hook has no Recorder any more")
	}
}

// TestAdded: a Recorder that is added beside the program's own has the same operations while it is
// started, and leaves nothing behind.
func TestAdded(t *testing.T) {
	if !Built {
		skip.For(t, skip.Build, "no calls are recorded")
	}
	own, look, second := New(Options{Names: 100}), New(Options{Names: 100}), New(Options{Names: 100})
	var h Hook
	var ref FileRef
	class := &ClassRef{Name: "background"}
	do := func(off int64) {
		at := h.Now()
		if at == 0 {
			return
		}
		h.Op(&Op{Queued: at, Off: off}, &ref, "name", class)
		h.Call(at, Call{Batch: int32(off)})
	}
	another := h.Another()
	h.Add(look) // it is alone
	if h.Recording() {
		t.Error("a Recorder that was added counts as the program's own")
	}
	do(1)
	look.Start()
	do(2)
	h.Set(own)
	do(3) // own is not started
	own.Start()
	h.Add(second)
	second.Start()
	do(4)
	own.Stop()
	do(5)
	before := h.Now()
	own.Start()
	h.Op(&Op{Queued: before, Off: 6}, &ref, "name", nil) // began before own was started
	look.Stop()
	h.Remove(look)
	do(7)
	second.Stop()
	h.Remove(second)
	do(8)
	h.Set(nil)
	if h.Now() != 0 || another.Now() != 0 {
		t.Error("a Hook without Recorders has a time")
	}
	for name, c := range map[string]struct {
		r         *Recorder
		ops, call []int64
	}{
		"own":    {own, []int64{4, 7, 8}, []int64{4, 7, 8}},
		"look":   {look, []int64{2, 3, 4, 5, 6}, []int64{2, 3, 4, 5}},
		"second": {second, []int64{4, 5, 6, 7}, []int64{4, 5, 7}},
	} {
		ops, calls, about := collected(c.r)
		var gotOps, gotCalls []int64
		for _, o := range ops {
			if gotOps = append(gotOps, o.Off); o.Ring != 0 || about.Files[o.File] != "name" || o.Off != 6 && about.Classes[o.Class] != "background" {
				t.Errorf("%s: operation %d has ring %d, file %d, class %d of %+v", name, o.Off, o.Ring, o.File, o.Class, about)
			}
		}
		for _, call := range calls {
			gotCalls = append(gotCalls, int64(call.Batch))
		}
		slices.Sort(gotOps)
		slices.Sort(gotCalls)
		if !slices.Equal(gotOps, c.ops) || !slices.Equal(gotCalls, c.call) {
			t.Errorf("%s has operations %d and calls %d; want %d and %d", name, gotOps, gotCalls, c.ops, c.call)
		}
	}
}

// TestRings: each Hook has another number, and the same one when the same Recorder is set again.
func TestRings(t *testing.T) {
	if !Built {
		skip.For(t, skip.Build, "no calls are recorded")
	}
	r := New(Options{})
	r.Start()
	var a, b Hook
	a.Set(r)
	b.Set(r)
	a.Set(nil)
	a.Set(r)
	var ref FileRef
	for i, h := range []*Hook{&a, &b} {
		h.Op(&Op{Queued: h.Now(), Off: int64(i)}, &ref, "name", nil)
		h.Call(h.Now(), Call{Batch: int32(i)})
	}
	ops, calls, _ := collected(r)
	for _, o := range ops {
		if int64(o.Ring) != o.Off {
			t.Errorf("an operation of hook %d has ring %d", o.Off, o.Ring)
		}
	}
	for _, c := range calls {
		if int32(c.Ring) != c.Batch {
			t.Errorf("a call of hook %d has ring %d", c.Batch, c.Ring)
		}
	}
	if len(ops) != 2 || len(calls) != 2 {
		t.Errorf("%d operations and %d calls; want 2 and 2", len(ops), len(calls))
	}
	for range 300 { // more than a byte has numbers
		new(Hook).Set(r)
	}
	var last Hook
	last.Set(r)
	if got := last.ring.Load(); got != 255 {
		t.Errorf("the 303rd hook has ring %d; want 255", got)
	}
}
