package burst

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// queue is an engine that is set up for a burst. submit is called by one
// thread, reap by another.
type queue interface {
	// submit hands over write i. It returns when the kernel has taken it.
	submit(i int) error
	// reap waits until something has completed, or for reapWait, and calls
	// done for each of it.
	reap(done func(i int, res int64)) error
	close() error
}

// reapWait bounds how long it takes to see that nothing more will come.
const reapWait = 100 * time.Millisecond

// run is Run after its checks.
func run(ctx context.Context, e Engine, f *os.File, writes, size int) (*Result, error) {
	memory, err := unix.Mmap(-1, 0, writes*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	for i := range memory {
		memory[i] = byte(i>>3 ^ i)
	}
	q, err := newQueue(e, int(f.Fd()), memory, writes, size)
	if err != nil {
		return nil, errors.Join(Unsupported(err), unix.Munmap(memory))
	}
	b := &burst{queue: q, Result: newResult(writes), size: size}
	err = b.perform(ctx)
	runtime.KeepAlive(f)
	// The kernel is done with the memory only when the queue is closed.
	return b.Result, errors.Join(err, q.close(), unix.Munmap(memory))
}

func newQueue(e Engine, fd int, memory []byte, writes, size int) (queue, error) {
	if e == AIO {
		return newContext(fd, memory, writes, size)
	}
	return newRing(fd, memory, writes, size)
}

// burst is one in progress.
type burst struct {
	queue
	*Result
	size  int
	start time.Time

	queued   atomic.Int64 // writes, by the submitter
	stopped  atomic.Bool  // the submitter queues no more
	reapErr  error        // the reaper's, until it has ended
	panicked any          // likewise
}

// perform queues all writes from this goroutine's thread.
func (b *burst) perform(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var reaper sync.WaitGroup
	b.start = time.Now()
	reaper.Go(b.reapAll)
	err := b.submitAll(ctx)
	b.stopped.Store(true)
	reaper.Wait()
	if b.panicked != nil { // here, where what is to be restored is
		panic(b.panicked)
	}
	return errors.Join(err, b.reapErr)
}

func (b *burst) submitAll(ctx context.Context) error {
	for i := range b.Queued {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		begin := time.Since(b.start)
		b.Queued[i] = begin
		if err := b.submit(i); err != nil {
			return fmt.Errorf("write %d: %w", i, err)
		}
		b.Submit[i] = time.Since(b.start) - begin
		b.queued.Add(1)
	}
	return nil
}

// reapAll takes completions until all that has been queued, or will be, is done.
func (b *burst) reapAll() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() { b.panicked = recover() }()
	for taken := 0; ; {
		stopped := b.stopped.Load() // before the number, which may still grow otherwise
		if stopped && taken >= int(b.queued.Load()) {
			return
		}
		n, err := b.reapBatch()
		taken += n
		if b.reapErr == nil { // one of a thousand will do
			b.reapErr = err
		}
		if err != nil && n == 0 { // reaping itself failed; close waits for the rest
			return
		}
	}
}

// reapBatch takes what there is. What it returns after the first of them is
// noted for all: the time at which the call had returned.
func (b *burst) reapBatch() (n int, err error) {
	var batch Batch
	var at time.Duration
	reaped := b.reap(func(i int, res int64) {
		if n == 0 {
			at = time.Since(b.start)
			batch.First = i
		}
		n++
		b.Notified[i] = at
		if err == nil && res != int64(b.size) {
			err = writeError(i, res, b.size)
		}
	})
	if n > 0 {
		batch.Writes = n
		b.Batches = append(b.Batches, batch)
	}
	return n, errors.Join(reaped, err)
}

func writeError(i int, res int64, size int) error {
	if res < 0 {
		return fmt.Errorf("write %d: %w", i, unix.Errno(-res))
	}
	return fmt.Errorf("write %d: %d of %d bytes", i, res, size)
}
