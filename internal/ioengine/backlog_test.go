package ioengine

import (
	"slices"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// The backlog does what a slice does, for any order of calls.
func TestBacklogIsAQueue(t *testing.T) {
	rnd := seed.Rand(t)
	var l backlog
	var want []*driver.Op
	for range 20000 {
		switch rnd.IntN(4) {
		case 0: // some arrive
			var stack *driver.Op
			for range rnd.IntN(4) {
				op := inInbox()
				op.Next, stack = stack, op
				want = append(want, op)
			}
			l.appendReversed(stack)
		case 1: // some are taken
			if n := rnd.IntN(len(want) + 1); n > 0 {
				if got := l.take(nil, room{n, n}); !slices.Equal(got, want[:n]) {
					t.Fatalf("%d operations were taken; want the first %d", len(got), n)
				}
				want = slices.Clone(want[n:])
			}
		case 2: // some are taken, and some of them put back
			if n := rnd.IntN(len(want) + 1); n > 0 {
				k := rnd.IntN(n + 1)
				l.take(nil, room{n, n})
				l.prepend(want[k:n])
				want = slices.Clone(want[k:])
			}
		case 3: // one is withdrawn, or one that is not there
			if len(want) == 0 || rnd.IntN(4) == 0 {
				if l.withdraw(&newRequest(0).Op) {
					t.Fatal("withdrew what was not there")
				}
				continue
			}
			i := rnd.IntN(len(want))
			if !l.withdraw(want[i]) {
				t.Fatalf("operation %d of %d was not there", i, len(want))
			}
			want = slices.Delete(slices.Clone(want), i, i+1)
		}
		l.check(t, want)
	}
}

// check fails the test unless l holds ops, forwards and backwards.
func (l *backlog) check(t *testing.T, ops []*driver.Op) {
	t.Helper()
	var forwards, backwards []*driver.Op
	for op := l.queue.Front(); op != nil; op = op.Links.Next() {
		forwards = append(forwards, op)
	}
	for op := l.queue.Back(); op != nil; op = op.Links.Prev() {
		backwards = append(backwards, op)
	}
	slices.Reverse(backwards)
	if !slices.Equal(forwards, ops) || !slices.Equal(backwards, ops) {
		t.Fatalf("%d operations forwards, %d backwards; want %d others", len(forwards), len(backwards), len(ops))
	}
}

// inInbox returns an operation that is in the inbox.
func inInbox() *driver.Op {
	r := newRequest(0)
	r.where.Store(inQueue)
	return &r.Op
}

// backlogOf returns a backlog of n operations, and them.
func backlogOf(n int) (l *backlog, ops []*driver.Op) {
	l = new(backlog)
	for range n {
		ops = append(ops, inInbox())
		l.appendReversed(ops[len(ops)-1])
	}
	return l, ops
}

// An operation is there once, wherever it stands, and not when the driver has
// taken it.
func TestBacklogWithdraw(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for i := range n {
			l, ops := backlogOf(n)
			op := ops[i]
			if !l.withdraw(op) || l.withdraw(op) {
				t.Errorf("operation %d of %d was not there, or twice", i, n)
			}
			l.check(t, slices.Delete(slices.Clone(ops), i, i+1))
		}
		l, ops := backlogOf(n)
		l.take(nil, room{1, 1})
		if l.withdraw(ops[0]) {
			t.Errorf("the first of %d was there after it had been taken", n)
		}
		l.check(t, ops[1:])
	}
}

// An abandoned operation is dropped, and takes no room.
func TestBacklogDropsAbandoned(t *testing.T) {
	l, ops := backlogOf(4)
	requestOf(ops[0]).where.Store(abandoned)
	requestOf(ops[2]).where.Store(abandoned)
	if got := l.take(nil, room{2, 2}); !slices.Equal(got, []*driver.Op{ops[1], ops[3]}) {
		t.Errorf("%d operations were taken; want the second and the fourth", len(got))
	}
	if l.Len() != 0 {
		t.Errorf("%d operations are left; want none", l.Len())
	}
}
