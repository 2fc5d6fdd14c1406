//go:build amd64 || arm64

package aio

import (
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/drivertest"
	"github.com/sluiceio/sluice/internal/sys"
)

// TestDescriptorReplaced checks that operations in flight return their results, that later ones are
// not begun, and that the program's descriptor stays open.
func TestDescriptorReplaced(t *testing.T) {
	const blocks = 64
	f := directFile(t, blocks)
	q := open(t, Options{Depth: 2 * blocks})
	r := newReads(t, f, blocks, 2*blocks)
	for _, op := range r.ops {
		r.aim(op)
	}
	if n, err := q.Submit(r.ops[:blocks]); n != blocks || err != nil {
		t.Fatalf("Submit = %d, %v", n, err)
	}
	drivertest.ReplaceDescriptor(t, q.notifier.fd)
	n, err := q.Submit(r.ops[blocks:])
	if n != blocks || !errors.Is(err, errDescriptor) {
		t.Fatalf("Submit = %d, %v; want %d, %v", n, err, blocks, errDescriptor)
	}
	done := make([]*driver.Op, 2*blocks)
	if n, err := q.Reap(done, len(done)); n != len(done) || !errors.Is(err, errDescriptor) {
		t.Fatalf("Reap = %d, %v; want %d, %v", n, err, len(done), errDescriptor)
	}
	for _, op := range r.ops[:blocks] {
		r.check(t, op)
	}
	for _, op := range r.ops[blocks:] {
		if op.Res != ecanceled {
			t.Errorf("an operation that the kernel has not begun came back with %d; want ECANCELED", op.Res)
		}
	}
	if n, err := q.Reap(done, 1); n != 0 || err == nil {
		t.Errorf("Reap with nothing in flight = %d, %v; want 0 and an error", n, err)
	}
	if err := q.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// TestDescriptorReplacedUnderReap checks that a waiting Reap notices the loss of the eventfd
// without any call.
func TestDescriptorReplacedUnderReap(t *testing.T) {
	q := open(t, Options{Depth: 8})
	var reaps sync.WaitGroup
	reaps.Go(func() {
		if n, err := q.Reap(make([]*driver.Op, 1), 1); n != 0 || !errors.Is(err, errDescriptor) {
			t.Errorf("Reap = %d, %v; want 0, %v", n, err, errDescriptor)
		}
	})
	for !q.notifier.armed.Load() {
		time.Sleep(time.Millisecond)
	}
	drivertest.ReplaceDescriptor(t, q.notifier.fd)
	reaps.Wait()
	if err := q.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// TestRefusedForGood checks that the queue is lost when io_submit fails for all operations. Reap
// returns the operations that the kernel has not taken.
func TestRefusedForGood(t *testing.T) {
	const blocks = 8
	f := directFile(t, blocks)
	q := open(t, Options{Depth: blocks})
	ctx := q.ctx
	q.ctx = 1 // no context: EINVAL
	r := newReads(t, f, blocks, blocks)
	n, err := q.Submit(r.ops)
	if n != blocks || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("Submit = %d, %v; want %d, EINVAL", n, err, blocks)
	}
	done := make([]*driver.Op, blocks)
	if n, err := q.Reap(done, blocks); n != blocks || err == nil {
		t.Errorf("Reap = %d, %v; want %d and an error", n, err, blocks)
	}
	for _, op := range r.ops {
		if op.Res != ecanceled {
			t.Errorf("operation = %d; want ECANCELED", op.Res)
		}
	}
	q.ctx = ctx
	if err := q.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := sys.IoDestroy(ctx); err == nil {
		t.Error("Close has left the context")
	}
}

// TestLateNotifier checks that no eventfd is open before the first operation. If it cannot be
// opened then, the queue is lost.
func TestLateNotifier(t *testing.T) {
	newQueue(t, Options{Depth: 8}).Wake()
	before := descriptors(t)
	q := newQueue(t, Options{Depth: 8})
	if n := descriptors(t); n != before {
		t.Errorf("%d descriptors more before the first operation", n-before)
	}
	q.notifier.once.Do(func() { q.notifier.openErr = syscall.EMFILE })
	if n, err := q.Submit([]*driver.Op{{}}); n != 0 || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("Submit = %d, %v; want 0, EMFILE", n, err)
	}
	if n, err := q.Reap(make([]*driver.Op, 1), 1); n != 0 || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("Reap = %d, %v; want 0, EMFILE", n, err)
	}
}
