// Package batch performs many file operations, of any kinds mixed, in one call.
//
//	b := batch.New(nil)
//	for i, name := range names {
//		open := b.Open(name).Then()
//		b.ReadAt(open, bufs[i], 0).Then()
//		b.Close(open)
//	}
//	err := b.Do(ctx)
//
// # Chains
//
// The operations of a [Batch] have no order among each other, and several of them may go on
// at once (see Bounds), unless they are chained: the operation that is added after one with
// [Op.Then] begins when that one has succeeded wholly. A short read (io.EOF) breaks the chain,
// unless [Op.AllowShort] permits it. If an operation of a chain fails, those after it are not
// begun, and their error is [ErrChainBroken].
//
// A file that an operation opens can be used by later operations of the same chain. If one of
// them closes it, the chain owns the file and closes it when the chain ends, even on failure.
// If none does, the file is [Op.File], and the Batch's user closes it.
//
// # Results
//
// Each operation has the result and the error that package os gives: the same *fs.PathError
// and *os.LinkError. [Op.State] says what has become of it.
//
// When the context ends, an operation that has begun goes on to its end and has its true
// result. A read, write or sync in progress ends early where [sluice.File.ReadAtContext] and
// its like do; if it has moved nothing, it counts as not begun. An operation that was not
// begun has [ErrNotBegun] and the context's error. A write to a file that was opened with O_SYNC
// may be made and not be known to be safe when the context ends: it has failed, with the
// context's error and no bytes.
//
// A system call is not interrupted. An open of a FIFO waits for the other end, as os.Open
// does, even when the context ends, and Do waits for it.
//
// # Bounds
//
// A Batch may have millions of operations. At most as many as the driver's depth are in
// progress at a time. For the calls on names (open, stat, rename, remove) of all Batches as many
// threads wait as for one more device ([sluice.Options].Threads), and while these all wait, one more
// for each Batch, for up to 16 Batches. So operations that wait for others of the same Batch, as
// opens of both ends of FIFOs do, may wait for ever.
//
// The goroutine that calls Do or Each performs the operations. Other goroutines help if the
// Batch takes long, or if an operation waits or is sure to wait. When exactly they begin is no
// promise. On Linux 5.15 and later with io_uring, the kernel
// performs many chains that only open, read and close a file of their own, each as one
// submission. Such chains are for files on disks: of a pipe the kernel would read what is in
// it, where package os refuses to read at an offset.
//
// A Batch is for calls that wait for a disk, and for files that are opened, read and closed.
// Calls of a microsecond or two that do not wait, such as a Stat of a cached file or a ReadAt
// from the page cache, are quicker in a loop of calls of package os if there are few of them:
// the Batch makes them in a loop as well, and adds the cost of its own list.
// Some dozens of renames, links or new directories in one and the same directory are not quicker
// in a Batch either: the kernel makes them one after the other, and threads that wait for their
// turn there cost processor time.
//
// Nothing is allocated for an operation but what its result needs (a File, a FileInfo, an
// error), and a name as the kernel wants it.
//
// # Concurrency
//
// All methods of a Batch and its operations are for one goroutine at a time. The buffers of
// reads and writes belong to the Batch until the operation has ended. While a Batch is
// performed, in the body of a loop over Each too, it panics if an operation is added, or if it
// is Reset.
package batch
