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

// queue is an engine that is ready for a burst. One thread calls submit, and another calls reap.
type queue interface {
	// submit submits write i, and returns when the kernel has taken it.
	submit(i int) error
	// reap waits for completions, at most for reapWait, and calls done for each.
	reap(done func(i int, res int64)) error
	close() error
}

// reapWait is the longest wait of the reaping thread until it checks again whether more completions
// will come.
const reapWait = 100 * time.Millisecond

// run performs Run after its arguments are checked.
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
	// The kernel may use the memory until the queue is closed.
	return b.Result, errors.Join(err, q.close(), unix.Munmap(memory))
}

func newQueue(e Engine, fd int, memory []byte, writes, size int) (queue, error) {
	if e == AIO {
		return newContext(fd, memory, writes, size)
	}
	return newRing(fd, memory, writes, size)
}

// burst is a burst in progress.
type burst struct {
	queue
	*Result
	size  int
	start time.Time

	queued   atomic.Int64 // number of queued writes; written by the submitting thread
	stopped  atomic.Bool  // the submitting thread is done
	reapErr  error        // written by the reaping thread, read after it has ended
	panicked any          // the reaping thread's recovered panic; as reapErr
}

// perform submits all writes from this goroutine's thread, and starts the reaping thread.
func (b *burst) perform(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var reaper sync.WaitGroup
	b.start = time.Now()
	reaper.Go(b.reapAll)
	err := b.submitAll(ctx)
	b.stopped.Store(true)
	reaper.Wait()
	if b.panicked != nil { // in this goroutine, whose callers restore the device's settings
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

// reapAll takes completions until all writes are complete, including those that will still be
// queued.
func (b *burst) reapAll() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() { b.panicked = recover() }()
	for taken := 0; ; {
		stopped := b.stopped.Load() // before b.queued, which can grow until stopped is set
		if stopped && taken >= int(b.queued.Load()) {
			return
		}
		n, err := b.reapBatch()
		taken += n
		if b.reapErr == nil { // one error of many is enough
			b.reapErr = err
		}
		if err != nil && n == 0 { // reaping failed; close waits for the rest
			return
		}
	}
}

// reapBatch takes all available completions. They get the same time: the return of the call.
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
