package sched

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// The list does what a slice does, for any order of calls.
func TestListIsAQueue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var l list
	var want []*driver.Op
	for range 20000 {
		switch rnd.IntN(4) {
		case 0: // some arrive
			var stack *driver.Op
			for range rnd.IntN(4) {
				op := &newRequest(0).op
				op.Next, stack = stack, op
				want = append(want, op)
			}
			l.appendReversed(stack)
		case 1: // some are taken
			if n := rnd.IntN(len(want) + 1); n > 0 {
				l.dropFirst(want[:n])
				want = slices.Clone(want[n:])
			}
		case 2: // some are taken, and some of them put back
			if n := rnd.IntN(len(want) + 1); n > 0 {
				k := rnd.IntN(n + 1)
				l.dropFirst(want[:n])
				l.prepend(want[k:n])
				want = slices.Clone(want[k:])
			}
		case 3: // one is withdrawn, or one that is not there
			if len(want) == 0 || rnd.IntN(4) == 0 {
				if l.remove(&newRequest(0).op) {
					t.Fatal("removed what was not there")
				}
				continue
			}
			i := rnd.IntN(len(want))
			if !l.remove(want[i]) {
				t.Fatalf("operation %d of %d was not there", i, len(want))
			}
			want = slices.Delete(slices.Clone(want), i, i+1)
		}
		l.check(t, want)
	}
}

// check fails the test unless l holds ops, forwards and backwards.
func (l *list) check(t *testing.T, ops []*driver.Op) {
	t.Helper()
	var forwards, backwards []*driver.Op
	for op := l.first; op != nil; op = op.Next {
		forwards = append(forwards, op)
	}
	for op := l.last; op != nil; op = requestOf(op).prev {
		backwards = append(backwards, op)
	}
	slices.Reverse(backwards)
	if !slices.Equal(forwards, ops) || !slices.Equal(backwards, ops) {
		t.Fatalf("%d operations forwards, %d backwards; want %d others", len(forwards), len(backwards), len(ops))
	}
}

// listOf returns a list of n operations, and them.
func listOf(n int) (l *list, ops []*driver.Op) {
	l = new(list)
	for range n {
		ops = append(ops, &newRequest(0).op)
		l.appendReversed(ops[len(ops)-1])
	}
	return l, ops
}

// An operation is there once, wherever it stands, and not when the driver has
// taken it.
func TestListRemove(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for i := range n {
			l, ops := listOf(n)
			op := ops[i]
			if !l.remove(op) || l.remove(op) {
				t.Errorf("operation %d of %d was not there, or twice", i, n)
			}
			l.check(t, slices.Delete(slices.Clone(ops), i, i+1))
		}
		l, ops := listOf(n)
		l.dropFirst(ops[:1])
		if l.remove(ops[0]) {
			t.Errorf("the first of %d was there after it had been taken", n)
		}
		l.check(t, ops[1:])
	}
}

// What is withdrawn is not looked for: the list is cut behind its first and
// before its last operation, so that no walk arrives in the middle.
func TestListRemoveDoesNotWalk(t *testing.T) {
	l, ops := listOf(7)
	ops[0].Next, requestOf(ops[6]).prev = nil, nil
	if !l.remove(ops[3]) {
		t.Fatal("the middle one was not found")
	}
	ops[0].Next, requestOf(ops[6]).prev = ops[1], ops[5]
	l.check(t, slices.Delete(slices.Clone(ops), 3, 4))
}
