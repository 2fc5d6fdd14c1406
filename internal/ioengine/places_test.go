package ioengine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// Writes that hang leave places to reads, and begin in their order once there is room.
func TestWritesLeavePlaces(t *testing.T) {
	for _, depth := range []int{2, 3, 16, 128} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			script.Run(t, depth, func(t *testing.T, d *script.Driver, drv driver.Driver) {
				e := newEngine(drv)
				d.Rule = func(op *driver.Op) (int32, bool) { return 0, !isWrite(op) }
				var stuck []*Request
				for i := range 8 * depth {
					stuck = append(stuck, push(e, driver.Write, int64(i)))
				}
				for range 3 * depth { // hangs if the writes have all places
					<-push(e, driver.Read, 0).done
				}
				if n, most := int(e.inflight.Load()), placesForWrites(depth); n > most {
					t.Errorf("%d writes are in flight; want %d", n, most)
				}
				wantInOrder(t, d, driver.Write, stuck)
				e.Wait()
			})
		})
	}
}

// push pushes an operation.
func push(e *Engine, code driver.Code, off int64) *Request {
	r := newRequest(off)
	r.Op.Code = code
	e.Push(r)
	return r
}

// wantInOrder answers the operations with a code as they come, and fails the test unless they come
// in the order of the requests.
func wantInOrder(t *testing.T, d *script.Driver, code driver.Code, all []*Request) {
	t.Helper()
	for i := range all {
		var op *driver.Op
		d.Until(func() bool {
			j := slices.IndexFunc(d.Held, func(op *driver.Op) bool { return op.Code == code })
			if j >= 0 {
				op = d.Held[j]
			}
			return op != nil
		})
		if op != &all[i].Op {
			t.Fatalf("operation %d to begin is number %d", i, op.Off)
		}
		d.Answer(op, 0)
	}
	for _, r := range all {
		<-r.done
	}
}

// Reads and writes leave the backlog in their order each, and no more of them than have room.
func TestBacklogOfReadsAndWrites(t *testing.T) {
	rnd := seed.Rand(t)
	var l backlog
	want := make(map[driver.Code][]*driver.Op)
	for range 20000 {
		op := inInbox()
		op.Code = driver.Read
		if rnd.IntN(2) == 0 {
			op.Code = driver.Write
		}
		l.appendReversed(op)
		want[op.Code] = append(want[op.Code], op)
		m := room{rnd.IntN(5), rnd.IntN(4)}
		got := l.take(nil, m)
		keep := rnd.IntN(len(got) + 1)
		l.prepend(got[keep:])
		for i, op := range got {
			if !m.has(op) {
				t.Fatalf("a %v was taken without room", op.Code)
			}
			m.take(op)
			if i < keep {
				if op != want[op.Code][0] {
					t.Fatalf("a %v has overtaken another", op.Code)
				}
				want[op.Code] = want[op.Code][1:]
			}
		}
		// In one order, for the seed.
		for _, code := range []driver.Code{driver.Read, driver.Write} {
			ops := want[code]
			if keep == len(got) && len(ops) > 0 && m.has(ops[0]) {
				t.Fatalf("a %v was left though there is room", code)
			}
			if len(ops) > 0 && rnd.IntN(8) == 0 {
				i := rnd.IntN(len(ops))
				if !l.withdraw(ops[i]) {
					t.Fatalf("a %v was not there", code)
				}
				want[code] = slices.Delete(slices.Clone(ops), i, i+1)
			}
		}
		if n := len(want[driver.Read]) + len(want[driver.Write]); l.Len() != n {
			t.Fatalf("%d operations are left; want %d", l.Len(), n)
		}
	}
}

// Whatever the depth, writes have a place, and from two places on reads have another.
func TestPlacesForWrites(t *testing.T) {
	for depth := 1; depth <= 4096; depth++ {
		if n := placesForWrites(depth); n < 1 || depth > 1 && n >= depth {
			t.Errorf("placesForWrites(%d) = %d", depth, n)
		}
	}
}
