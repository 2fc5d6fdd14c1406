package drivertest

import (
	"runtime"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/skip"
)

var queueTests = []test{
	{"Info", 4, testInfo},
	{"SubmitNone", 4, testSubmitNone},
	{"Prefix", 4, testPrefix},
	{"PrefixReuse", 8, testPrefixReuse},
	{"Stage", 8, testStage},
	{"StagePoll", 8, testStagePoll},
	{"StageFull", 4, testStageFull},
}

func testInfo(r *rig) {
	a := r.d.Info()
	if a.Name == "" || a.Depth < 4 || a.Threads < 0 {
		r.Errorf("Info = %+v; want a Name, Depth of at least 4, Threads of at least 0", a)
	}
	for code := driver.Nop; code <= driver.Fdatasync; code++ {
		for _, flags := range []driver.Flags{0, driver.Direct} {
			o := driver.Op{Code: code, Flags: flags}
			other := driver.Op{Code: code, Flags: flags, FD: 1 << 20, Off: -1, Buf: make([]byte, 7)}
			if r.d.Async(&o) != r.d.Async(&other) {
				r.Errorf("Async(%v) depends on more than Code and Flags", code)
			}
		}
	}
	r.all(nops(100))
	if b := r.d.Info(); a.Name != b.Name || a.Depth != b.Depth || a.Threads != b.Threads {
		r.Errorf("Info changes: %+v, then %+v", a, b)
	}
}

func testSubmitNone(r *rig) {
	for _, ops := range [][]*driver.Op{nil, {}} {
		if n := r.take(ops); n != 0 {
			r.Errorf("Submit of nothing = %d; want 0", n)
		}
	}
}

// testPrefix fills the driver, and checks that it takes no more, and then one more for
// each operation that is reaped.
func testPrefix(r *rig) {
	depth := r.depth()
	ops := nops(2*depth + 3)
	taken := r.take(ops)
	if taken == 0 {
		r.Fatal("Submit = 0 with nothing in flight; want at least 1")
	}
	if taken < depth {
		r.submit(ops[taken:depth]...)
		taken = depth
	}
	if taken != depth {
		r.Fatalf("Submit = %d; want no more than Depth = %d", taken, depth)
	}
	for back := 0; back < len(ops); {
		if n := r.take(ops[taken:]); taken-back == depth && n != 0 {
			r.Fatalf("Submit = %d with Depth = %d operations in flight; want 0", n, depth)
		} else if taken-back < depth && taken < len(ops) && n == 0 {
			r.Fatalf("Submit = 0 with %d of %d operations in flight; want at least 1", taken-back, depth)
		} else {
			taken += n
		}
		back += len(r.must(1))
	}
}

// testPrefixReuse submits operations again when they come back, so that each slot of the
// driver is used many times.
func testPrefixReuse(r *rig) {
	data := pattern(0, 64<<10, 0)
	f := r.create(data)
	ops := make([]*driver.Op, r.depth())
	for i := range ops {
		ops[i] = op(driver.Read, f.FD(), int64(i%16*1000), make([]byte, 1000))
	}
	r.submit(ops...)
	for range 20 * len(ops) {
		for _, op := range r.must(1) {
			if op.Res != 1000 {
				r.Fatalf("Read at %d = %s; want 1000", op.Off, show(op.Res))
			}
			r.same("Read", op.Buf, data[op.Off:op.Off+1000])
			clear(op.Buf)
			r.submit(op)
		}
	}
	r.must(len(ops))
}

// stager returns the driver as a Stager, or skips the test.
func (r *rig) stager() driver.Stager {
	s, ok := r.d.(driver.Stager)
	if !ok {
		skip.For(r, skip.Driver, "the driver is no driver.Stager")
	}
	return s
}

// stage stages ops and returns how many the driver took.
func (r *rig) stage(ops []*driver.Op) int {
	r.Helper()
	arm(ops)
	n := r.d.(driver.Stager).Stage(ops)
	if n < 0 || n > len(ops) {
		r.Fatalf("Stage of %d = %d", len(ops), n)
	}
	disarm(ops[n:])
	return n
}

// testStage checks that the next Reap submits staged operations, and so does the next Submit, even
// of nothing.
func testStage(r *rig) {
	r.stager()
	data := pattern(0, 4096, 0)
	f := r.create(data)
	read := func(off int64) *driver.Op { return op(driver.Read, f.FD(), off, make([]byte, 512)) }
	for _, then := range [][]*driver.Op{nil, {read(1024)}, {}} {
		inFlight := r.stage([]*driver.Op{read(0), read(512)})
		if inFlight == 0 {
			r.Fatal("Stage = 0 with nothing in flight; want at least 1")
		}
		if then != nil {
			inFlight += r.take(then)
		}
		for range inFlight {
			op := r.must(1)[0]
			r.same("staged Read", op.Buf, data[op.Off:op.Off+512])
		}
	}
}

// testStagePoll reaps staged operations, without ever waiting.
func testStagePoll(r *rig) {
	r.stager()
	for inFlight := r.stage(nops(3)); inFlight > 0; runtime.Gosched() {
		inFlight -= len(r.reap(4, 0))
	}
}

func testStageFull(r *rig) {
	r.stager()
	depth := r.depth()
	ops := nops(depth + 3)
	taken := 0
	for taken < depth {
		n := r.stage(ops[taken:])
		if n == 0 {
			// Less room may be left for staged operations than in the driver.
			n = r.take(ops[taken:])
		}
		if n == 0 {
			r.Fatalf("Stage and Submit = 0 with %d of %d operations in flight", taken, depth)
		}
		taken += n
	}
	if taken != depth {
		r.Fatalf("Stage took %d; want no more than Depth = %d", taken, depth)
	}
	if n := r.stage(ops[depth:]); n != 0 {
		r.Fatalf("Stage = %d with Depth = %d operations in flight; want 0", n, depth)
	}
	r.must(depth)
	if n := r.stage(ops[depth:]); n == 0 {
		r.Error("Stage = 0 with nothing in flight; want at least 1")
	} else {
		r.must(n)
	}
}
