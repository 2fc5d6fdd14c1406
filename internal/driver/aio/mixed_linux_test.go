//go:build amd64 || arm64

package aio

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// cell is a block of a file, on which one operation at a time is performed.
type cell struct {
	op     *driver.Op
	off    int64
	stamp  uint64 // the number at the beginning and the end of the block
	reads  way
	writes way
}

// way is how a file was opened.
type way struct {
	fd    int32
	flags driver.Flags
}

// next prepares the cell's next operation.
func (l *cell) next(rng *rand.Rand) {
	op, w := l.op, l.writes
	op.Code = []driver.Code{driver.Read, driver.Read, driver.Write, driver.Write, driver.Fdatasync, driver.Nop}[rng.IntN(6)]
	switch op.Code {
	case driver.Read:
		w = l.reads
		clear(op.Buf)
	case driver.Write:
		l.stamp = rng.Uint64()
		binary.LittleEndian.PutUint64(op.Buf, l.stamp)
		binary.LittleEndian.PutUint64(op.Buf[block-8:], l.stamp)
	}
	op.FD, op.Flags, op.Off = w.fd, w.flags, l.off
}

func (l *cell) check(t *testing.T) {
	switch op := l.op; op.Code {
	case driver.Read:
		a, z := binary.LittleEndian.Uint64(op.Buf), binary.LittleEndian.Uint64(op.Buf[block-8:])
		if op.Res == 0 && l.stamp == 0 {
			return // beyond the blocks of the other cells
		}
		if op.Res != block || a != l.stamp || z != l.stamp {
			t.Errorf("read at %d = %d, %x…%x; want %d, %x", op.Off, op.Res, a, z, block, l.stamp)
		}
	case driver.Write:
		if op.Res != block {
			t.Errorf("write at %d = %d; want %d", op.Off, op.Res, block)
		}
	default:
		if op.Res != 0 {
			t.Errorf("%v = %d; want 0", op.Code, op.Res)
		}
	}
}

// newCells makes three files that begin with one block and grow. One is used with O_DIRECT only,
// one without, and one is written through the page cache and read with O_DIRECT, so that its reads
// meet dirty pages. Direct writes beside buffered ones are left out: the kernel warns of them, as
// they make fsync fail.
func newCells(t *testing.T, n int) []*cell {
	var ways [3][2]way
	for i := range ways {
		f := directFile(t, 1)
		cached, err := os.OpenFile(f.Name(), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cached.Close() })
		direct, buffered := way{int32(f.Fd()), driver.Direct}, way{int32(cached.Fd()), 0}
		ways[i] = [3][2]way{{direct, direct}, {buffered, buffered}, {direct, buffered}}[i]
	}
	cells := make([]*cell, n)
	bufs := aligned(n * block)
	for i := range cells {
		w := ways[i%len(ways)]
		cells[i] = &cell{
			op:     &driver.Op{Buf: bufs[i*block : (i+1)*block]},
			off:    int64(i/len(ways)) * block,
			reads:  w[0],
			writes: w[1],
		}
		cells[i].op.Owner = cells[i]
	}
	return cells
}

// TestMixed submits in one goroutine and reaps in another. The operations are of all kinds, so that
// they take all ways through the queue at the same time.
func TestMixed(t *testing.T) {
	const depth, total = 48, 20_000
	start := seed.Of(t)
	rng := rand.New(rand.NewPCG(start, 0))

	q := newQueue(t, Options{Depth: depth, Threads: 8})
	ready := make(chan *cell, depth)
	for _, l := range newCells(t, depth) {
		ready <- l
	}
	go func() {
		var batch []*driver.Op
		for left := total; left > 0; {
			batch = batch[:0]
			for n := min(left, 1+rng.IntN(16)); len(batch) < n; {
				l := <-ready
				l.next(rng)
				batch = append(batch, l.op)
			}
			if n, err := q.Submit(batch); n != len(batch) || err != nil {
				t.Errorf("Submit = %d, %v; want %d, nil", n, err, len(batch))
			}
			left -= len(batch)
		}
	}()
	done := make([]*driver.Op, depth)
	for left := total; left > 0; {
		n, err := q.Reap(done, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range done[:n] {
			l := op.Owner.(*cell)
			l.check(t)
			ready <- l
		}
		left -= n
	}
}
