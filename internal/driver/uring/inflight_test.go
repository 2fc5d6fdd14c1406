//go:build linux && (amd64 || arm64)

package uring

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/skip"
)

const (
	read, write, fsync = driver.Read, driver.Write, driver.Fsync
	direct             = driver.Direct
	canceled           = -int32(syscall.ECANCELED)
)

func op(code driver.Code, flags driver.Flags) *driver.Op {
	return &driver.Op{Code: code, Flags: flags, FD: -1}
}

// pipe returns both ends of a pipe. A read of an empty pipe stays in flight until the
// test writes to it.
func pipe(t *testing.T) (rd, wr int) {
	t.Helper()
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(p[0]); unix.Close(p[1]) })
	return p[0], p[1]
}

// stuck returns n reads of an empty pipe, of one byte each.
func stuck(fd, n int) []*driver.Op {
	ops := make([]*driver.Op, n)
	for i := range ops {
		ops[i] = &driver.Op{Code: read, FD: int32(fd), Buf: make([]byte, 1)}
	}
	return ops
}

func submit(t *testing.T, r *Ring, ops ...*driver.Op) {
	t.Helper()
	if n, err := r.Submit(ops); n != len(ops) || err != nil {
		t.Fatalf("Submit of %d = %d, %v", len(ops), n, err)
	}
}

func reap(t *testing.T, r *Ring, n int) []*driver.Op {
	t.Helper()
	done := make([]*driver.Op, n)
	if got, err := r.Reap(done, n); got != n || err != nil {
		t.Fatalf("Reap of %d = %d, %v", n, got, err)
	}
	return done
}

// openCounted makes a ring, and returns the flag that the kernel sets when a completion
// finds no room in the CQ (IORING_SQ_CQ_OVERFLOW, 5.8).
func openCounted(t *testing.T, depth uint32) (r *Ring, overflowed func() bool) {
	t.Helper()
	fd, p, err := setup(depth, new(record.Hook))
	if err != nil {
		skip.ForDriver(t, "uring", err)
	}
	r = &Ring{hook: new(record.Hook), depth: depth}
	if err := r.adopt(fd, p); err != nil {
		r.release()
		skip.ForDriver(t, "uring", err)
	}
	r.slots.init(depth)
	flags := (*uint32)(unsafe.Pointer(&r.mem[p.SQOff.Flags]))
	return r, func() bool { return atomic.LoadUint32(flags)&2 != 0 }
}

// A full ring is cancelled and woken many times without a Reap. Completions must never exceed the
// CQ. The CQ has twice the depth (setup), Cancel drops excess cancellations (cancels), and there is
// at most one wake-up in the ring (wake).
func TestCompletionsNeverOverflow(t *testing.T) {
	for _, depth := range []int{1, 16, 64} {
		r, overflowed := openCounted(t, uint32(depth))
		rd, _ := pipe(t)
		for range 20 {
			ops := stuck(rd, depth)
			submit(t, r, ops...)
			var all sync.WaitGroup
			for g := range 4 {
				all.Go(func() {
					for i := range 4 * depth {
						r.Cancel(ops[(i*7+g)%depth])
						r.Wake()
					}
				})
			}
			all.Wait()
			if overflowed() {
				t.Fatalf("Depth %d: the CQ of %d overflowed", depth, len(r.cqes))
			}
			drainAll(t, r, ops)
		}
		r.Close()
	}
}

// drainAll reaps ops, and cancels again whatever Cancel has dropped.
func drainAll(t *testing.T, r *Ring, ops []*driver.Op) {
	t.Helper()
	done := make([]*driver.Op, len(ops))
	for back := 0; back < len(ops); {
		n, err := r.Reap(done, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range done[:n] {
			if op.Res != canceled {
				t.Errorf("cancelled read of a pipe = %d; want ECANCELED", op.Res)
			}
			op.FD = -1
		}
		back += n
		for _, op := range ops {
			if op.FD >= 0 {
				r.Cancel(op)
			}
		}
		runtime.Gosched()
	}
}

// A late Cancel must not end another operation that has the slot by then: the token has a
// generation.
func TestLateCancelHitsNothing(t *testing.T) {
	r := open(t, Options{Depth: 1}) // one slot
	defer r.Close()
	rd, wr := pipe(t)
	var late driver.Op
	submit(t, r, &late)
	reap(t, r, 1)
	for range 100 {
		op := stuck(rd, 1)[0]
		submit(t, r, op)
		r.Cancel(&late)
		if _, err := unix.Write(wr, []byte{7}); err != nil {
			t.Fatal(err)
		}
		reap(t, r, 1)
		if op.Res != 1 || op.Buf[0] != 7 {
			t.Fatalf("read = %d; want 1: another operation was cancelled", op.Res)
		}
		late.Token = op.Token
	}
}

// An SQ full of staged operations has room for wake-ups and cancellations.
func TestControlWithSQFull(t *testing.T) {
	r := open(t, Options{Depth: 64})
	defer r.Close()
	rd, _ := pipe(t)
	ops := stuck(rd, 64)
	n := r.Stage(ops)
	if n == 0 || n+sqReserve > len(r.sqes) {
		t.Fatalf("Stage of %d = %d; want some, and %d of %d SQEs kept free", len(ops), n, sqReserve, len(r.sqes))
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { r.Cancel(ops[i]); r.Wake() })
	}
	all.Wait()
	drainAll(t, r, ops[:n])
}

// Close waits for operations that the kernel has, and for staged operations. All operations get a
// result.
func TestCloseWithStagedAndInFlight(t *testing.T) {
	r := open(t, Options{Depth: 64})
	rd, wr := pipe(t)
	inFlight := stuck(rd, 8)
	submit(t, r, inFlight...)
	nops := make([]*driver.Op, 8)
	for i := range nops {
		nops[i] = &driver.Op{Res: -1}
	}
	if n := r.Stage(nops); n != 8 {
		t.Fatalf("Stage = %d; want 8", n)
	}
	r.Cancel(inFlight[0])
	r.Wake()
	closed := make(chan error)
	go func() { closed <- r.Close() }()
	for range 7 {
		select {
		case <-closed:
			t.Fatal("Close returned with reads of an empty pipe in flight")
		default:
		}
		if _, err := unix.Write(wr, []byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-closed; err != nil {
		t.Errorf("Close = %v", err)
	}
	for i, op := range nops {
		if op.Res != 0 {
			t.Errorf("staged nop %d = %d after Close; want 0", i, op.Res)
		}
	}
	for i, op := range inFlight[1:] {
		if op.Res != 1 {
			t.Errorf("read %d = %d after Close; want 1", i+1, op.Res)
		}
	}
}

// An operation and its buffer must not be collected as garbage while they are in flight: slots.ops
// refers to the operation.
func TestRingHoldsOperationAndBuffer(t *testing.T) {
	const n = 256
	r := open(t, Options{Depth: n})
	defer r.Close()
	rd, wr := pipe(t)
	func() { submit(t, r, stuck(rd, n)...) }()
	var litter [][]byte
	for range 10 {
		runtime.GC()
		for range 2000 { // would re-use the memory if it was freed
			litter = append(litter, make([]byte, 1), make([]byte, 96))
		}
	}
	sent := make([]byte, n)
	for i := range sent {
		sent[i] = 0xa5
	}
	if _, err := unix.Write(wr, sent); err != nil {
		t.Fatal(err)
	}
	for _, op := range reap(t, r, n) {
		if op.Res != 1 || op.Buf[0] != 0xa5 {
			t.Fatalf("read = %d, % x; want 1, a5", op.Res, op.Buf)
		}
	}
	for _, b := range litter {
		if b[0] != 0 {
			t.Fatal("the kernel wrote into memory of another")
		}
	}
}

// Wakes, cancels, submits and reaps run at the same time, over few slots.
func TestWakeAndCancelRace(t *testing.T) {
	r, overflowed := openCounted(t, 4)
	defer r.Close()
	rd, wr := pipe(t)
	stop := make(chan struct{})
	var waker sync.WaitGroup
	waker.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				r.Wake()
				runtime.Gosched()
			}
		}
	})
	for round := range 500 {
		ops := stuck(rd, 4)
		submit(t, r, ops...)
		var others sync.WaitGroup
		others.Go(func() {
			for _, op := range ops[:3] {
				r.Cancel(op)
			}
			unix.Write(wr, []byte{9, 9, 9, 9}) // ends operations that were not cancelled
		})
		done := make([]*driver.Op, 4)
		for back := 0; back < 4; {
			n, err := r.Reap(done, 1)
			if err != nil {
				t.Fatal(err)
			}
			back += n
		}
		others.Wait()
		if ops[3].Res != 1 || ops[3].Buf[0] != 9 {
			t.Fatalf("round %d: read that was not cancelled = %d; want 1", round, ops[3].Res)
		}
		for _, op := range ops[:3] {
			if op.Res == canceled {
				unix.Read(rd, make([]byte, 1)) // the byte for the cancelled operation
			}
		}
	}
	close(stop)
	waker.Wait()
	if overflowed() {
		t.Error("the CQ overflowed")
	}
}
