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
				op := &driver.Op{Next: stack}
				stack = op
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
				if l.remove(&driver.Op{}) {
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
		var got []*driver.Op
		for op := l.first; op != nil; op = op.Next {
			got = append(got, op)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d operations; want %d others", len(got), len(want))
		}
		if len(want) > 0 && l.last != want[len(want)-1] || len(want) == 0 && l.last != nil {
			t.Fatal("last is not the last one")
		}
	}
}
