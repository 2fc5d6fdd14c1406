package drivertest

import (
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// hangs is the time after which a test is ended. Each test takes far less.
const hangs = 2 * time.Minute

// Results that tests expect.
const (
	badFD    = -int32(syscall.EBADF)
	invalid  = -int32(syscall.EINVAL)
	canceled = -int32(syscall.ECANCELED)
	fault    = -int32(syscall.EFAULT)
)

// rig is a driver under test. It follows each operation: the test fails if the driver loses
// one, returns it twice or changes it.
type rig struct {
	testing.TB
	d      driver.Driver
	suite  Suite
	closed bool
	before stacks

	registered bool // Register has worked
}

func newRig(t *testing.T, s Suite, depth int) *rig {
	hang := time.AfterFunc(hangs, func() {
		debug.SetTraceback("all")
		panic(t.Name() + " hangs")
	})
	r := &rig{TB: t, suite: s, before: goroutines()}
	t.Cleanup(func() { hang.Stop() }) // even if Open skips the test
	r.d = s.Open(t, depth)
	return r
}

// end closes the driver, before the test's Cleanup closes files, and checks that it leaves
// nothing behind.
func (r *rig) end() {
	r.close()
	r.before.checkGone(r)
}

func (r *rig) close() {
	r.Helper()
	if r.closed {
		return
	}
	r.closed = true
	if err := r.d.Close(); err != nil {
		r.Errorf("Close = %v; want nil", err)
	}
}

// depth returns the largest number of operations in flight.
func (r *rig) depth() int { return r.d.Info().Depth }

// create makes a file with these contents.
func (r *rig) create(data []byte) File {
	r.Helper()
	return r.suite.Create(r.TB, r.d, data)
}

// take submits ops and returns how many the driver took.
func (r *rig) take(ops []*driver.Op) int {
	r.Helper()
	arm(ops)
	n, err := r.d.Submit(ops)
	if err != nil || n < 0 || n > len(ops) {
		r.Fatalf("Submit of %d = %d, %v", len(ops), n, err)
	}
	disarm(ops[n:])
	return n
}

// submit submits ops. There must be room for all of them.
func (r *rig) submit(ops ...*driver.Op) {
	r.Helper()
	for len(ops) > 0 {
		n := r.take(ops)
		if n == 0 {
			r.Fatalf("Submit of %d = 0, nil; want at least 1 below Depth", len(ops))
		}
		ops = ops[n:]
	}
}

// reap reaps at most limit operations, and at least need unless Wake is called.
func (r *rig) reap(limit, need int) []*driver.Op {
	r.Helper()
	done := make([]*driver.Op, limit)
	n, err := r.d.Reap(done, need)
	if err != nil || n < 0 || n > limit {
		r.Fatalf("Reap(%d, %d) = %d, %v", limit, need, n, err)
	}
	for _, op := range done[:n] {
		if err := returned(op); err != nil {
			r.Error(err)
		}
	}
	return done[:n]
}

// must reaps n operations.
func (r *rig) must(n int) []*driver.Op {
	r.Helper()
	done := r.reap(n, n)
	if len(done) != n {
		r.Fatalf("Reap(%d, %d) = %d; Wake was not called", n, n, len(done))
	}
	return done
}

// do performs one operation, with nothing else in flight, and returns its result.
func (r *rig) do(op *driver.Op) int32 {
	r.Helper()
	r.submit(op)
	if got := r.must(1)[0]; got != op {
		r.Fatalf("Reap returned another operation than was submitted: %+v", got)
	}
	return op.Res
}

// all performs ops, as many at a time as the driver takes.
func (r *rig) all(ops []*driver.Op) {
	r.Helper()
	for inFlight := 0; len(ops) > 0 || inFlight > 0; {
		n := r.take(ops)
		ops, inFlight = ops[n:], inFlight+n
		inFlight -= len(r.reap(inFlight, min(inFlight, 1)))
	}
}

// want performs one operation and checks its result.
func (r *rig) want(op *driver.Op, res int32) {
	r.Helper()
	if got := r.do(op); got != res {
		r.Errorf("%v of %d bytes at %d = %s; want %s", op.Code, len(op.Buf), op.Off, show(got), show(res))
	}
}
