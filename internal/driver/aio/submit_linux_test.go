//go:build amd64 || arm64

package aio

import (
	"bytes"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// An operation that the kernel refuses does not affect the rest of its batch.
func TestRefused(t *testing.T) {
	const blocks = 16
	f := directFile(t, blocks)
	q := newQueue(t, Options{Depth: 64})
	for range 20 {
		r := newReads(t, f, blocks, 12)
		for _, op := range r.ops {
			r.aim(op)
		}
		bad := map[*driver.Op]int32{r.ops[0]: -int32(syscall.EBADF), r.ops[5]: -int32(syscall.EBADF), r.ops[6]: einval, r.ops[11]: -int32(syscall.EBADF)}
		for op, res := range bad {
			if res == einval {
				op.Off = -block
			} else {
				op.FD = 1 << 30
			}
		}
		perform(t, q, r.ops...)
		for i, op := range r.ops {
			if want, refused := bad[op]; !refused {
				r.check(t, op)
			} else if op.Res != want {
				t.Errorf("operation %d = %d; want %d", i, op.Res, want)
			}
		}
	}
}

// A context with less room than the queue has slots behaves as a kernel without memory: io_submit
// returns EAGAIN for the rest of a batch.
func TestFullContext(t *testing.T) {
	const blocks, depth = 64, 2048
	f := directFile(t, blocks)
	q := newQueue(t, Options{Depth: depth})
	small, err := sys.IoSetup(1)
	if err != nil {
		skip.ForDriver(t, "aio", err)
	}
	sys.IoDestroy(q.ctx)
	q.ctx = small
	q.completed, q.mapped = small.Ring()
	r := newReads(t, f, blocks, depth)
	for _, op := range r.ops {
		r.aim(op)
	}
	n, err := q.Submit(r.ops)
	if n != depth || err != nil {
		t.Fatalf("Submit = %d, %v; want %d, nil", n, err, depth)
	}
	if q.pooled.n.Load() == 0 {
		t.Error("the pool has nothing; want what the context had no room for")
	}
	done := make([]*driver.Op, depth)
	if n, err := q.Reap(done, depth); n != depth || err != nil {
		t.Fatalf("Reap = %d, %v; want %d, nil", n, err, depth)
	}
	for _, op := range done {
		r.check(t, op)
	}
}

// A direct read of dirty pages would wait until they are written: with RWF_NOWAIT it
// fails with EAGAIN.
func TestReadAgain(t *testing.T) {
	const blocks = 64
	f := directFile(t, blocks)
	q := newQueue(t, Options{Depth: blocks})
	cached, err := os.OpenFile(f.Name(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer cached.Close()
	dirty := func() []byte {
		data := bytes.Repeat([]byte("dirty..."), blocks*block/8)
		if _, err := cached.WriteAt(data, 0); err != nil {
			t.Fatal(err)
		}
		return data
	}

	dirty()
	op := newReads(t, f, blocks, 1).ops[0]
	op.Flags |= driver.NoWait
	perform(t, q, op)
	if op.Res != eagain {
		skip.Forf(t, skip.Chance, "NoWait read of dirty pages = %d; want -EAGAIN to test what follows it", op.Res)
	}
	if q.plainFiles.use(op.FD) {
		t.Error("EAGAIN of a file is taken for a block device's")
	}

	want := dirty()
	r := newReads(t, f, blocks, blocks)
	for i, op := range r.ops {
		op.Off = int64(i) * block
	}
	perform(t, q, r.ops...)
	for i, op := range r.ops {
		if op.Res != block || !bytes.Equal(op.Buf, want[i*block:(i+1)*block]) {
			t.Errorf("read of dirty block %d = %d, or other bytes; want %d", i, op.Res, block)
		}
	}
}

// An extending write, and an operation on a file without O_DIRECT, would need a thread.
func TestNoWait(t *testing.T) {
	const blocks = 4
	f := directFile(t, blocks)
	q := newQueue(t, Options{})
	buf := aligned(block)
	for _, c := range []struct {
		name  string
		code  driver.Code
		flags driver.Flags
		off   int64
		want  int32
	}{
		{"direct write", driver.Write, driver.Direct, (blocks - 1) * block, block},
		{"direct write that extends", driver.Write, driver.Direct, blocks * block, eagain},
		{"buffered read", driver.Read, 0, 0, eagain},
		{"buffered write", driver.Write, 0, 0, eagain},
	} {
		op := &driver.Op{Code: c.code, Flags: c.flags | driver.NoWait, FD: int32(f.Fd()), Off: c.off, Buf: buf}
		perform(t, q, op)
		if op.Res != c.want {
			t.Errorf("%s = %d; want %d", c.name, op.Res, c.want)
		}
	}
	if end := sys.EndOf(int(f.Fd())); end != blocks*block {
		t.Errorf("the file ends at %d; want %d", end, blocks*block)
	}
}

// Files on tmpfs do not support RWF_NOWAIT: EOPNOTSUPP.
func TestNowaitUnknown(t *testing.T) {
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
	if err != nil {
		skip.Forf(t, skip.Kernel, "memfd_create: %v", err)
	}
	defer unix.Close(fd)
	if _, err := unix.Pwrite(fd, bytes.Repeat([]byte("x"), 64), 0); err != nil {
		t.Fatal(err)
	}
	q := newQueue(t, Options{})
	var ops []*driver.Op
	for range 10 {
		ops = append(ops, &driver.Op{Code: driver.Read, Flags: driver.Direct, FD: int32(fd), Buf: make([]byte, 100)})
	}
	perform(t, q, ops...)
	for _, op := range ops {
		if op.Res != 64 || op.Buf[63] != 'x' {
			t.Errorf("read = %d; want 64", op.Res)
		}
	}
}

func TestAsync(t *testing.T) {
	q := newQueue(t, Options{})
	for _, c := range []struct {
		op   driver.Op
		want bool
	}{
		{driver.Op{Code: driver.Nop}, true},
		{driver.Op{Code: driver.Read, Flags: driver.Direct}, true},
		{driver.Op{Code: driver.Write, Flags: driver.Direct}, q.statx},
		{driver.Op{Code: driver.Read}, false},
		{driver.Op{Code: driver.Write}, false},
		{driver.Op{Code: driver.Fsync}, q.fsync},
		{driver.Op{Code: driver.Fdatasync}, q.fsync},
		{driver.Op{Code: 200, Flags: driver.Direct}, false},
	} {
		if got := q.Async(&c.op); got != c.want {
			t.Errorf("Async(%v, flags %b) = %v; want %v", c.op.Code, c.op.Flags, got, c.want)
		}
	}
}
