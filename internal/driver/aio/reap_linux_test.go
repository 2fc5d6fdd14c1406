//go:build amd64 || arm64

package aio

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

func TestManyThroughFew(t *testing.T) {
	const blocks = 256
	f := directFile(t, blocks)
	for _, way := range []string{"ring", "io_getevents"} {
		t.Run(way, func(t *testing.T) {
			q := newQueue(t, Options{Depth: 64})
			if way == "io_getevents" {
				q.inRing = false
			}
			newReads(f, blocks, 64).run(t, q, 10_000)
		})
	}
}

func TestNoAllocation(t *testing.T) {
	if sys.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	const blocks = 64
	f := directFile(t, blocks)
	q := newQueue(t, Options{Depth: 16})
	r := newReads(f, blocks, 16)
	ops := append(r.ops, &driver.Op{Code: driver.Nop}, &driver.Op{Code: driver.Fsync, FD: r.ops[0].FD})[2:]
	done := make([]*driver.Op, len(ops))
	n := testing.AllocsPerRun(200, func() {
		q.Submit(ops)
		for left := len(ops); left > 0; {
			k, _ := q.Reap(done, 1)
			left -= k
		}
	})
	if n != 0 {
		t.Errorf("%d operations allocate %v times; want 0", len(ops), n)
	}
}
