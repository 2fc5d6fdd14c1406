//go:build amd64 || arm64

package aio

import (
	"fmt"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestManyThroughFew(t *testing.T) {
	const blocks = 256
	f := directFile(t, blocks)
	for _, way := range []string{"ring", "io_getevents"} {
		t.Run(way, func(t *testing.T) {
			q := newQueue(t, Options{Depth: 64})
			if way == "io_getevents" {
				q.mapped = false
			}
			newReads(t, f, blocks, 64).run(t, q, 10_000)
		})
	}
}

func TestNoAllocation(t *testing.T) {
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector allocates")
	}
	const blocks = 64
	f := directFile(t, blocks)
	q := newQueue(t, Options{Depth: 16})
	r := newReads(t, f, blocks, 16)
	ops := append(r.ops, &driver.Op{Code: driver.Nop}, &driver.Op{Code: driver.Fsync, FD: r.ops[0].FD})[2:]
	done := make([]*driver.Op, len(ops))
	allocs.None(t, fmt.Sprint(len(ops), " operations"), func() error {
		if n, err := q.Submit(ops); n != len(ops) || err != nil {
			return fmt.Errorf("Submit = %d, %w", n, err)
		}
		for left := len(ops); left > 0; {
			k, err := q.Reap(done, 1)
			if err != nil {
				return err
			}
			left -= k
		}
		return nil
	})
}
