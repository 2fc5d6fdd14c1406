package ioengine

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// The tests here hold the wake-up protocol (engine) at each of its points
// where a pusher and the leader, or two pushers, cross. A step that is left
// out loses an operation, and the test hangs.

// hooked is a script that cannot stage and calls before in each Submit, which
// takes nothing if that says so.
type hooked struct {
	*script.Driver
	before func() (refuse bool)
}

func (d hooked) Submit(ops []*driver.Op) (int, error) {
	if d.before() {
		return 0, nil
	}
	return d.Driver.Submit(ops)
}

// finish answers the requests' operations, as they come, and waits for them.
func finish(e *Engine, d *script.Driver, all ...*Request) {
	for i, r := range all {
		d.Next(i)
		d.Answer(&r.Op, 0)
		<-r.done
	}
	e.Wait()
}

// An operation that arrives while the leader is running, after it has looked
// at the inbox and before it is blocked, is found: it looks again.
func TestPushBeforeTheLeaderBlocks(t *testing.T) {
	hang.Watch(t)
	d := script.New(8)
	var e *Engine
	a, b := newRequest(1), newRequest(2)
	calls := 0
	e = newEngine(hooked{d, func() bool {
		if calls++; calls == 1 {
			e.Push(b)
		}
		return false
	}})
	e.Push(a)
	d.Next(1) // while a is in flight
	finish(e, d, a, b)
}

// An operation that arrives while the leader is running, and then retires, is
// found: it looks again once it has said that it is idle. (The driver takes
// nothing with nothing in flight, as none does, so that the leader retires.)
func TestPushBeforeTheLeaderRetires(t *testing.T) {
	hang.Watch(t)
	d := script.New(8)
	var e *Engine
	a, b := newRequest(1), newRequest(2)
	calls := 0
	e = newEngine(hooked{d, func() bool {
		if calls++; calls == 2 {
			e.Push(b)
		}
		return calls <= 2
	}})
	e.Push(a)
	finish(e, d, a, b)
}

// An operation whose pusher finds mu held, while the leader is blocked, is
// found by the goroutine that holds mu: it looks again once it has unlocked mu.
func TestPushWhileAnotherSubmits(t *testing.T) {
	hang.Watch(t)
	d := script.New(8)
	var e *Engine
	stuck, a, b := newRequest(0), newRequest(1), newRequest(2)
	calls := 0
	e = newEngine(hooked{d, func() bool {
		if calls++; calls == 2 { // a's pusher
			pushed := make(chan struct{})
			go func() { e.Push(b); close(pushed) }()
			<-pushed
		}
		return false
	}})
	e.Push(stuck)
	hang.Eventually(func() bool { return e.state.Load() == blocked })
	d.Next(0)
	e.Push(a)
	d.Next(2) // while stuck is in flight
	finish(e, d, stuck, a, b)
}

// A submitter that is late, and finds that the leader has retired, submits nothing: nobody
// would reap it. The leader that retires finds it in the inbox.
func TestNobodySubmitsBesideARetiredLeader(t *testing.T) {
	d := script.New(8)
	e := newEngine(d)
	a := newRequest(1)
	e.inbox.Store(&a.Op) // its pusher has read running
	e.submitConcurrently()
	if len(d.Seen) != 0 || e.inbox.Load() != &a.Op {
		t.Error("an operation was submitted with no leader to reap it")
	}
}
