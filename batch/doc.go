// Package batch performs many file operations of any kinds in one call.
//
//	b := batch.New(nil)
//	for i, name := range names {
//		c := b.Chain()
//		f := c.Open(name)
//		c.ReadAt(f, bufs[i], 0)
//		c.Close(f)
//	}
//	err := b.Do(ctx)
//
// # Chains
//
// A [Batch] has chains, and a [Chain] has operations, which are performed one after the other. If
// an operation fails, the rest of its chain is not begun and has [ErrChainBroken]. A short read
// (io.EOF) is a failure, unless [Op.AllowShort] permits it. Chains have no order among each other,
// and the Batch performs several at a time.
//
// An operation on a file takes a [Target]: an open file ([On]), or a file that the same chain has
// opened. A chain that closes the file it has opened owns it: the file is closed when the chain
// ends, even on failure. If the chain does not close the file, the caller gets it from [Op.File]
// and closes it.
//
// # Results
//
// Each [Op] has the result and the error that package os gives, such as *fs.PathError and
// *os.LinkError. When the context ends:
//
//	an operation that has not begun             is not begun: ErrNotBegun, and the context's error
//	a read, write or sync that waits            ends early, as sluice.File.ReadAtContext does
//	  if it has moved no bytes                  counts as not begun
//	  if it is a write to a file with O_SYNC    fails: the bytes may be in the file, and N is 0
//	a system call                               goes on to its end, and has its true result
//
// An open of a FIFO waits for the other end, as os.Open does, and Do waits for it even when the
// context has ended.
//
// # When to use it
//
// A Batch is for calls that wait for a disk, and for files that are opened, read and closed. A loop
// of calls of package os is quicker for:
//   - a few calls that do not wait, such as a Stat of a cached file: the Batch makes the same
//     calls and adds the cost of its list;
//   - renames, links or new directories in one directory: the kernel makes them one after the
//     other.
//
// # How it is performed
//
// The goroutine that calls Do or Each performs the operations. Helper goroutines join it when the
// Batch takes long, or when an operation waits. On Linux 5.15 and later with io_uring, the kernel
// performs many chains that only open, read and close a file, each as one submission. Do not ReadAt
// a pipe in such a chain: it does not fail, as with package os, but consumes the pipe's bytes.
//
// A Batch may have millions of operations; the driver's depth bounds how many are in progress.
// [sluice.Options].Threads bounds the threads in calls with names, for all Batches together. So
// operations that wait for each other, such as opens of both ends of many FIFOs, may wait for ever.
//
// A Batch that is used again allocates only the results of operations (a File, a FileInfo, an
// error) and names for the kernel.
//
// # Concurrency
//
// One goroutine at a time may use a Batch, its Chains and its Ops. The buffers of reads and writes
// belong to the Batch until the operation has ended. While a Batch is performed, also in the body
// of a loop over Each, adding an operation and Reset panic.
package batch
