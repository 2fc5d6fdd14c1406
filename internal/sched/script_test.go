package sched

import (
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// script is a driver that a test plays. It holds what is submitted until the
// test answers, or until the test's rule does.
type script struct {
	depth int
	// rule, if not nil, is asked for the result of each operation as it is
	// submitted; ok false leaves it to the test.
	rule func(op *driver.Op) (res int32, ok bool)

	mu        sync.Mutex
	changed   sync.Cond
	staged    []*driver.Op // not submitted yet
	held      []*driver.Op // submitted and not answered, oldest first
	done      []*driver.Op // answered and not reaped
	seen      []*driver.Op // all that was ever submitted, in that order
	cancelled []*driver.Op
	inflight  int
	woken     bool // by a Wake that has not ended a Reap
	closed    bool
}

// stagingScript is a script that can stage.
type stagingScript struct{ *script }

func newScript(depth int) *script {
	d := &script{depth: depth}
	d.changed.L = &d.mu
	return d
}

func (d *script) take(ops []*driver.Op, to *[]*driver.Op) int {
	n := min(len(ops), d.depth-d.inflight)
	*to = append(*to, ops[:n]...)
	d.inflight += n
	return n
}

func (d *script) Submit(ops []*driver.Op) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.take(ops, &d.staged)
	d.flush()
	return n, nil
}

func (d stagingScript) Stage(ops []*driver.Op) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.take(ops, &d.staged)
}

// flush submits what is staged. Under mu.
func (d *script) flush() {
	for _, op := range d.staged {
		d.seen = append(d.seen, op)
		d.held = append(d.held, op)
		if d.rule == nil {
			continue
		}
		if res, ok := d.rule(op); ok {
			d.finish(op, res)
		}
	}
	d.staged = d.staged[:0]
	d.changed.Broadcast()
}

// finish answers op. Under mu.
func (d *script) finish(op *driver.Op, res int32) {
	i := slices.Index(d.held, op)
	if i < 0 {
		panic("script: answered an operation that is not held")
	}
	d.held = slices.Delete(d.held, i, i+1)
	op.Res = res
	d.done = append(d.done, op)
	d.changed.Broadcast()
}

func (d *script) Reap(done []*driver.Op, need int) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.flush()
	for len(d.done) < need && !d.woken {
		d.changed.Wait()
	}
	if len(d.done) < need {
		d.woken = false
	}
	n := copy(done, d.done)
	d.done = slices.Delete(d.done, 0, n)
	d.inflight -= n
	return n, nil
}

func (d *script) Cancel(op *driver.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cancelled = append(d.cancelled, op)
	d.changed.Broadcast()
}

func (d *script) Wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.woken = true
	d.changed.Broadcast()
}

func (d *script) Async(*driver.Op) bool { return true }
func (d *script) Info() driver.Info     { return driver.Info{Name: "script", Depth: d.depth} }

func (d *script) Close() error {
	d.closed = true
	if d.inflight > 0 {
		panic("script: closed with operations in flight")
	}
	return nil
}

// answer ends op, which is held.
func (d *script) answer(op *driver.Op, res int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.finish(op, res)
}

// until waits for ok, which is asked under mu.
func (d *script) until(ok func() bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for !ok() {
		d.changed.Wait()
	}
}

// next waits for the operation number i, from 0, of all that are submitted.
func (d *script) next(i int) (op *driver.Op) {
	d.until(func() bool { return len(d.seen) > i })
	return d.seen[i]
}

// watch ends the process with all stacks when a test hangs, which is how a
// lost wake-up shows. No test comes near the limit.
func watch(t *testing.T) {
	t.Helper()
	hang := time.AfterFunc(3*time.Minute, func() {
		debug.SetTraceback("all")
		panic(t.Name() + " hangs")
	})
	t.Cleanup(func() { hang.Stop() })
}

// asScript runs a test with a script that can stage and with one that cannot.
func asScript(t *testing.T, depth int, test func(t *testing.T, d *script, drv driver.Driver)) {
	t.Run("stager", func(t *testing.T) {
		watch(t)
		d := newScript(depth)
		test(t, d, stagingScript{d})
	})
	t.Run("plain", func(t *testing.T) {
		watch(t)
		d := newScript(depth)
		test(t, d, d)
	})
}

// newRequest makes an operation that a goroutine can wait for.
func newRequest(off int64) *request {
	r := &request{done: make(chan struct{}, 1)}
	r.op = driver.Op{Off: off, Owner: r}
	return r
}

// eventually waits for what another goroutine is about to do.
func eventually(ok func() bool) {
	for !ok() {
		time.Sleep(50 * time.Microsecond)
	}
}
