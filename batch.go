package sluice

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"syscall"
)

// Batch is many operations, of any kinds mixed, that are handed over in one
// call and waited for together ([Batch.Do]) or one by one ([Batch.Each]):
//
//	b := s.NewBatch()
//	for i, name := range names {
//		open := b.Open(name).Link()
//		b.ReadAt(open, bufs[i], 0).Link()
//		b.Close(open)
//	}
//	err := b.Do(ctx)
//
// Operations have no order among each other, and any number of them goes on at
// once, unless they are linked: what is added after an operation that has been
// told to [BatchOp.Link] begins when that one has succeeded wholly. A read that
// ends at the end of the file, short, has not. Those of a chain that are not
// begun because one before them failed have [ErrLinkBroken].
//
// A file that one operation of a chain opens can be used by later ones of the
// same chain. If one of them closes it, it is the chain's own: it is closed at
// the latest when the chain ends, however that ends, and nobody gets it. If none
// does, it is [BatchOp.File], and whose Batch it is closes it.
//
// Each operation has the result and the error that package os gives: the same
// *fs.PathError and *os.LinkError.
//
// # Contexts
//
// When the context ends, what has begun goes on to its end and has its true
// result; a read, write or sync that is in progress ends early where
// [File.ReadAtContext] and its like do, and, if it has moved nothing, has not
// begun. What has not begun has [ErrNotBegun] and the context's error. So each
// operation says of itself what has become of it: [BatchOp.State].
//
// A system call is not interrupted: an open of a FIFO waits for the other end,
// as [os.Open] does, whatever the context does meanwhile, and Do with it.
//
// # Bounds
//
// A Batch may have millions of operations. At most as many as the driver's depth
// are in progress at a time, and at most Options.BlockingThreads threads wait in
// calls with names, beside those of other I/O. So operations that wait for others
// of the same Batch, as opens of both ends of FIFOs do, may wait for ever.
//
// Where the kernel can (Linux 5.15, io_uring), chains that only open, read and
// close their own file are one submission each, if there are a hundred and more of
// them: at most 64 at a time, in five threads more, four of them the kernel's, that
// end with the call. Such chains are for files on disks: of a pipe the kernel would
// read what is in it, where package os refuses to read at an offset.
//
// A Batch whose operations do not wait, or a small one, is performed by the caller's
// goroutine. Others begin when operations take more than 50 µs, or all together more
// than 400, or one has gone on for 10 to 20 ms.
//
// An operation takes 216 bytes. Nothing is allocated for it but what its result
// needs (a File, a FileInfo, an error), and a name as the kernel wants it.
//
// # Concurrency
//
// All methods are for one goroutine at a time. The buffers of reads and writes
// belong to the Batch until the operation has ended. While it is performed, in the
// body of a loop over [Batch.Each] too, nothing is added and it is not Reset: that
// panics.
type Batch struct {
	s      *Scheduler
	slabs  [][]BatchOp // see place
	n      int
	state  atomic.Int32
	chains int      // since it was checked
	run    batchRun // what performs it, or has
}

var (
	// ErrLinkBroken is the error of operations that were not begun because one
	// before them in their chain did not succeed wholly. It is ECANCELED, as
	// io_uring has it.
	ErrLinkBroken = fmt.Errorf("an operation before it in the chain did not succeed: %w", syscall.ECANCELED)

	// ErrNotBegun is the error of operations that were not begun because the
	// context had ended. The context's error is there beside it.
	ErrNotBegun = errors.New("not begun")
)

// NewBatch returns an empty Batch on the [Default] Scheduler.
func NewBatch() (*Batch, error) {
	s, err := Default()
	if err != nil {
		return nil, err
	}
	return s.NewBatch(), nil
}

// NewBatch returns an empty Batch.
func (s *Scheduler) NewBatch() *Batch { return &Batch{s: s} }

// Do performs the operations and returns when all have ended. The error is that
// of the first operation, in the order in which they were added, that failed by
// itself; then ctx's if it has kept one from beginning. A Batch that is wrong in
// itself (see [Batch.ReadAt]), of a Scheduler that is closed, or has been performed
// and not Reset, is refused as a whole.
func (b *Batch) Do(ctx context.Context) error {
	r, err := b.start(ctx)
	if err != nil {
		return err
	}
	r.work(nil)
	return b.firstError()
}

// Each performs the operations and yields each as it ends; those of a chain in
// their order. As long as operations are quick they are performed between the turns
// of the loop. If the loop is left early, what has not begun does not begin,
// and the rest is waited for. A Batch that is refused, see [Batch.Do], yields
// nothing but the error.
func (b *Batch) Each(ctx context.Context) iter.Seq2[*BatchOp, error] {
	return func(yield func(*BatchOp, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r, err := b.start(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		left := false
		r.work(func(op *BatchOp) {
			if left {
				return
			}
			left = true // also if the loop's body panics
			if left = !yield(op, op.err); left {
				cancel()
			}
		})
	}
}

// firstError is what Do returns.
func (b *Batch) firstError() (notBegun error) {
	for i := range b.n {
		switch op := b.at(i); op.state {
		case Failed:
			return op.err
		case NotBegun:
			if notBegun == nil {
				notBegun = op.err
			}
		}
	}
	return notBegun
}
