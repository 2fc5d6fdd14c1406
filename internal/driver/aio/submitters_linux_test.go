//go:build amd64 || arm64

package aio

import (
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// stuck is a Queue in which each file is on another device. io_submit of writes to the files in fds
// does not return until release.
type stuck struct {
	*Queue
	fds     []uint32
	entered atomic.Int32 // the number of writes that io_submit was given
	held    chan struct{}
}

func newStuck(t *testing.T, depth int, files ...*os.File) *stuck {
	q := &stuck{Queue: newQueue(t, Options{Depth: depth, Threads: 4}), held: make(chan struct{})}
	for _, f := range files {
		q.fds = append(q.fds, uint32(f.Fd()))
	}
	q.fileEnds.lookup = func(fd int) (int64, uint64) { return sys.EndOf(fd), uint64(fd) }
	submit := q.writes.submit
	q.writes.submit = func(batch []*sys.Iocb) {
		if slices.Contains(q.fds, batch[0].Fildes) {
			q.entered.Add(int32(len(batch)))
			<-q.held
		}
		submit(batch)
	}
	return q
}

func (q *stuck) release() { close(q.held) }

// awaitEntered waits until io_submit got a write. It waits forever if there is none.
func (q *stuck) awaitEntered() {
	for q.entered.Load() == 0 {
		runtime.Gosched()
	}
}

// writesTo returns writes of the blocks of f, one for each.
func writesTo(f *os.File, n int, flags driver.Flags) (ops []*driver.Op) {
	for i := range n {
		ops = append(ops, &driver.Op{
			Code: driver.Write, Flags: driver.Direct | flags, FD: int32(f.Fd()), Off: int64(i) * block, Buf: aligned(block),
		})
	}
	return ops
}

// submitAll submits ops, for which there must be room. It does not wait for submitters.
func (q *stuck) submitAll(t *testing.T, ops ...*driver.Op) {
	t.Helper()
	if n, err := q.Submit(ops); n != len(ops) || err != nil {
		t.Fatalf("Submit = %d, %v; want %d", n, err, len(ops))
	}
}

// reap checks that n operations come back, each with that result.
func (q *stuck) reap(t *testing.T, n int, want int32) {
	t.Helper()
	done := make([]*driver.Op, n)
	if got, err := q.Reap(done, n); got != n || err != nil {
		t.Fatalf("Reap = %d, %v; want %d", got, err, n)
	}
	for _, op := range done {
		if op.Res != want {
			t.Errorf("%v of descriptor %d = %d; want %d", op.Code, op.FD, op.Res, want)
		}
	}
}

// While io_submit blocks for writes to one device, only the few writes behind the first cannot be
// withdrawn, and operations on other devices go on.
func TestStuckWrites(t *testing.T) {
	const writes = 12
	frozen, other := directFile(t, writes), directFile(t, writes)
	q := newStuck(t, 64, frozen)
	ops := writesTo(frozen, writes, 0)
	q.submitAll(t, ops...)
	q.awaitEntered()
	q.submitAll(t, writesTo(other, writes, 0)...)
	q.reap(t, writes, block)
	q.submitAll(t, newReads(t, frozen, writes, 3).ops...)
	q.reap(t, 3, block)
	for _, op := range ops {
		q.Cancel(op)
	}
	kept := int(q.entered.Load())
	if kept > maxWriteBatch {
		t.Fatalf("io_submit was given %d writes; want at most %d", kept, maxWriteBatch)
	}
	q.reap(t, writes-kept, ecanceled)
	q.release()
	q.reap(t, kept, block)
	for _, op := range ops { // too late
		q.Cancel(op)
	}
}

// Stuck writes take half of the slots. Further writes fail with EAGAIN, or go to the pool.
func TestStuckWritesLeaveSlots(t *testing.T) {
	const depth = 32
	for flags, want := range map[driver.Flags]int32{driver.NoWait: eagain, 0: block} {
		frozen, other := directFile(t, depth), directFile(t, depth)
		q := newStuck(t, depth, frozen)
		ops := writesTo(frozen, depth, flags)
		q.submitAll(t, ops[0])
		q.awaitEntered()
		q.submitAll(t, ops[1:]...)
		q.reap(t, depth/2-1, want) // waits forever if they keep their slots
		more := writesTo(frozen, 4, flags)
		q.submitAll(t, more...)
		q.reap(t, len(more), want)
		q.submitAll(t, writesTo(other, 4, flags)...)
		q.reap(t, 4, block)
		q.release()
		q.reap(t, depth/2+1, block)
	}
}

// One thread is in io_submit for each stuck device, up to maxSubmitters. Writes to other devices
// are not queued.
func TestSubmittersAreFew(t *testing.T) {
	f := directFile(t, 1)
	files := []*os.File{f}
	for range maxSubmitters {
		fd, err := unix.FcntlInt(f.Fd(), syscall.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		dup := os.NewFile(uintptr(fd), "dup")
		t.Cleanup(func() { dup.Close() })
		files = append(files, dup)
	}
	q := newStuck(t, 64, files...)
	for _, f := range files[:maxSubmitters] {
		q.submitAll(t, writesTo(f, 1, driver.NoWait)...)
	}
	q.submitAll(t, writesTo(files[maxSubmitters], 1, driver.NoWait)...)
	q.reap(t, 1, eagain)
	q.release()
	q.reap(t, maxSubmitters, block)
}
