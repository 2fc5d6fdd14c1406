package sched

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// The tests here hold the wake-up protocol (engine) at each of its points
// where a pusher and the leader, or two pushers, cross. A step that is left
// out loses an operation, and the test hangs.

// hooked is a script that cannot stage and calls before in each Submit, which
// takes nothing if that says so.
type hooked struct {
	*script
	before func() (refuse bool)
}

func (d hooked) Submit(ops []*driver.Op) (int, error) {
	if d.before() {
		return 0, nil
	}
	return d.script.Submit(ops)
}

// finish answers the requests' operations, as they come, and waits for them.
func finish(e *engine, d *script, all ...*request) {
	for i, r := range all {
		d.next(i)
		d.answer(&r.op, 0)
		<-r.done
	}
	e.wait()
}

// An operation that arrives while the leader is running, after it has looked
// at the inbox and before it is blocked, is found: it looks again.
func TestPushBeforeTheLeaderBlocks(t *testing.T) {
	watch(t)
	d := newScript(8)
	var e *engine
	a, b := newRequest(1), newRequest(2)
	calls := 0
	e = newEngine(hooked{d, func() bool {
		if calls++; calls == 1 {
			e.push(&b.op)
		}
		return false
	}})
	e.push(&a.op)
	d.next(1) // while a is in flight
	finish(e, d, a, b)
}

// An operation that arrives while the leader is running, and then retires, is
// found: it looks again once it has said that it is idle. (The driver takes
// nothing with nothing in flight, as none does, so that the leader retires.)
func TestPushBeforeTheLeaderRetires(t *testing.T) {
	watch(t)
	d := newScript(8)
	var e *engine
	a, b := newRequest(1), newRequest(2)
	calls := 0
	e = newEngine(hooked{d, func() bool {
		if calls++; calls == 2 {
			e.push(&b.op)
		}
		return calls <= 2
	}})
	e.push(&a.op)
	finish(e, d, a, b)
}

// An operation whose pusher finds mu held, while the leader is blocked, is
// found by who holds mu: he looks again once he has let go of it.
func TestPushWhileAnotherSubmits(t *testing.T) {
	watch(t)
	d := newScript(8)
	var e *engine
	stuck, a, b := newRequest(0), newRequest(1), newRequest(2)
	calls := 0
	e = newEngine(hooked{d, func() bool {
		if calls++; calls == 2 { // a's pusher
			pushed := make(chan struct{})
			go func() { e.push(&b.op); close(pushed) }()
			<-pushed
		}
		return false
	}})
	e.push(&stuck.op)
	eventually(func() bool { return e.state.Load() == blocked })
	d.next(0)
	e.push(&a.op)
	d.next(2) // while stuck is in flight
	finish(e, d, stuck, a, b)
}

// Who is late, and finds that the leader has retired, submits nothing: nobody
// would reap it. The leader that retires finds it in the inbox.
func TestNobodySubmitsBesideARetiredLeader(t *testing.T) {
	d := newScript(8)
	e := newEngine(d)
	a := newRequest(1)
	e.inbox.Store(&a.op) // its pusher has read running
	e.submitConcurrently()
	if len(d.seen) != 0 || e.inbox.Load() != &a.op {
		t.Error("an operation was submitted with no leader to reap it")
	}
}
