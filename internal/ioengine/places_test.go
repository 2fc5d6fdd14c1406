package ioengine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// Operations of one kind that hang leave places to each other kind, and begin in their order once
// there is room.
func TestKindsLeavePlaces(t *testing.T) {
	for _, depth := range []int{3, 16, 128} {
		for _, hanging := range []driver.Code{driver.Write, driver.Fsync, driver.Fdatasync} {
			t.Run(fmt.Sprint(depth, "/", hanging), func(t *testing.T) {
				script.Run(t, depth, func(t *testing.T, d *script.Driver, drv driver.Driver) {
					e := New(drv)
					e.most = divided(cap(e.scratch))
					d.Rule = func(op *driver.Op) (int32, bool) { return 0, kindOf(op.Code) != kindOf(hanging) }
					var stuck []*Request
					for i := range 8 * depth {
						stuck = append(stuck, push(e, hanging, int64(i)))
					}
					for range 3 * depth { // hangs if the stuck ones have all places
						for _, code := range []driver.Code{driver.Read, driver.Write, driver.Fsync} {
							if kindOf(code) != kindOf(hanging) {
								<-push(e, code, 0).done
							}
						}
					}
					if n := int64(e.most.each); int64(e.inflight.Load()) > n {
						t.Errorf("%d operations of one kind are in flight; want %d", e.inflight.Load(), n)
					}
					wantInOrder(t, d, hanging, stuck)
					e.Wait()
				})
			})
		}
	}
}

// push pushes an operation.
func push(e *Engine, code driver.Code, off int64) *Request {
	r := newRequest(off)
	r.Op.Code = code
	e.Push(r)
	return r
}

// wantInOrder answers the operations of a kind as they come, and fails the test unless they come in
// the order of the requests.
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

// The operations of each kind leave the backlog in their order, and no more of them than have room.
func TestBacklogOfKinds(t *testing.T) {
	rnd := seed.Rand(t)
	codes := []driver.Code{driver.Read, driver.Write, driver.Fsync, driver.Fdatasync}
	var l backlog
	var want [kinds][]*driver.Op
	for range 20000 {
		op := inInbox()
		op.Code = codes[rnd.IntN(len(codes))]
		l.appendReversed(op)
		k := kindOf(op.Code)
		want[k] = append(want[k], op)
		m := room{rnd.IntN(5), rnd.IntN(4), [kinds]int{writes: rnd.IntN(3), syncs: rnd.IntN(3)}}
		got := l.take(nil, m)
		keep := rnd.IntN(len(got) + 1)
		l.prepend(got[keep:])
		for i, op := range got {
			k := kindOf(op.Code)
			if !m.has(k) {
				t.Fatalf("an operation of kind %d was taken without room", k)
			}
			m.take(k)
			if i < keep {
				if op != want[k][0] {
					t.Fatalf("an operation of kind %d has overtaken another", k)
				}
				want[k] = want[k][1:]
			}
		}
		for k, ops := range want {
			if keep == len(got) && len(ops) > 0 && m.has(kind(k)) {
				t.Fatalf("an operation of kind %d was left though there is room", k)
			}
			if len(ops) > 0 && rnd.IntN(8) == 0 {
				i := rnd.IntN(len(ops))
				if !l.withdraw(ops[i]) {
					t.Fatalf("an operation of kind %d was not there", k)
				}
				want[k] = slices.Delete(slices.Clone(ops), i, i+1)
			}
		}
		if n := len(want[reads]) + len(want[writes]) + len(want[syncs]); l.Len() != n {
			t.Fatalf("%d operations are left; want %d", l.Len(), n)
		}
	}
}

// Whatever the depth, each kind has a place, and from three places on one that no other kind takes.
func TestDivided(t *testing.T) {
	for depth := 1; depth <= 4096; depth++ {
		p := divided(depth)
		nested := p.each < p.changes && p.changes < p.all
		if p.all != depth || p.changes < 1 || p.each < 1 || depth > 2 && !nested {
			t.Errorf("divided(%d) = %+v", depth, p)
		}
	}
}
