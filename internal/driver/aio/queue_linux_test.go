//go:build amd64 || arm64

package aio

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

const block = 4 << 10 // 4 KiB, a multiple of any disk's sector

// open makes a queue, or skips the test if AIO is forbidden.
func open(t testing.TB, o Options) *Queue {
	t.Helper()
	q, err := New(o)
	if errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM) {
		skip.ForDriver(t, "aio", err)
	}
	if err != nil {
		t.Fatalf("New(%+v): %v", o, err)
	}
	return q
}

// newQueue makes a queue, which is closed at the end of the test.
func newQueue(t testing.TB, o Options) *Queue {
	t.Helper()
	q := open(t, o)
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return q
}

// directFile makes a file, open with O_DIRECT. Each block begins with its number.
func directFile(t testing.TB, blocks int) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	content := make([]byte, blocks*block)
	for i := range blocks {
		binary.LittleEndian.PutUint64(content[i*block:], uint64(i))
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_DIRECT, 0)
	if err != nil {
		skip.Forf(t, skip.Direct, "no O_DIRECT in %s: %v", path, err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	return f
}

// aligned returns n bytes that O_DIRECT accepts.
func aligned(n int) []byte {
	b := make([]byte, n+block)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (block - 1)
	return b[skip : skip+n : skip+n]
}

// perform submits ops and reaps all of them.
func perform(t testing.TB, q *Queue, ops ...*driver.Op) {
	t.Helper()
	done := make([]*driver.Op, len(ops))
	for taken, back := 0, 0; back < len(ops); {
		n, err := q.Submit(ops[taken:])
		if err != nil {
			t.Fatalf("Submit: %v", err)
		}
		taken += n
		if n, err = q.Reap(done[back:], 1); err != nil {
			t.Fatalf("Reap: %v", err)
		}
		back += n
	}
}

// reads are direct reads of random blocks, with their expected contents.
type reads struct {
	ops    []*driver.Op
	blocks int
	rnd    *rand.Rand
}

func newReads(t testing.TB, f *os.File, blocks, n int) *reads {
	r := &reads{blocks: blocks, rnd: seed.Rand(t)}
	bufs := aligned(n * block)
	for i := range n {
		r.ops = append(r.ops, &driver.Op{Code: driver.Read, Flags: driver.Direct, FD: int32(f.Fd()), Buf: bufs[i*block : (i+1)*block]})
	}
	return r
}

func (r *reads) aim(op *driver.Op) { op.Off = int64(r.rnd.IntN(r.blocks)) * block }

func (r *reads) check(t testing.TB, op *driver.Op) {
	t.Helper()
	if op.Res != block {
		t.Fatalf("read at %d = %d; want %d", op.Off, op.Res, block)
	}
	if n := binary.LittleEndian.Uint64(op.Buf); n != uint64(op.Off/block) {
		t.Fatalf("read at %d found block %d; want %d", op.Off, n, op.Off/block)
	}
}

// run keeps all operations in flight until n have ended.
func (r *reads) run(t testing.TB, q *Queue, n int) {
	t.Helper()
	for _, op := range r.ops {
		r.aim(op)
	}
	done := make([]*driver.Op, len(r.ops))
	next := r.ops
	for n > 0 {
		taken, err := q.Submit(next)
		if taken != len(next) || err != nil {
			t.Fatalf("Submit = %d, %v; want %d, nil", taken, err, len(next))
		}
		k, err := q.Reap(done, 1)
		if k < 1 || err != nil {
			t.Fatalf("Reap = %d, %v; want at least 1", k, err)
		}
		for _, op := range done[:k] {
			r.check(t, op)
			r.aim(op)
		}
		n -= k
		next = done[:k]
	}
	for left := len(r.ops) - len(next); left > 0; {
		k, err := q.Reap(done, left)
		if err != nil {
			t.Fatal(err)
		}
		left -= k
	}
}
