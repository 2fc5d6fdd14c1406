// Package batch performs many file operations in one call.
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
// A [Batch] has chains, and a [Chain] has operations. The operations of a chain are performed one
// after the other; chains have no order, and several are performed at a time. If an operation
// fails, the rest of its chain is not performed and has the error [ErrChainBroken]. A short read
// (io.EOF) is a failure, unless [Op.AllowShort] permits it.
//
// An operation on a file takes a [Target]: an open file ([On]), or a file that the same chain
// opens. If the chain also closes the file, the file is closed even if an operation fails. If the
// chain does not close the file, the caller gets it from [Op.File] and must close it.
//
// # Results
//
// Each [Op] has the result and the error of package os, such as *fs.PathError and *os.LinkError.
// When the context ends:
//
//	an operation that has not begun             gets ErrNotBegun, and the context's error
//	a read, write or sync that waits            ends early, as sluice.File.ReadAtContext does;
//	                                            with ErrNotBegun if no byte was transferred
//	a write to a file with O_SYNC that waits    fails: the bytes may be in the file, and N is 0
//	a system call                               goes on to its end, and has its result
//
// An open of a FIFO waits for another process, as os.Open does. Do waits for the open even when the
// context has ended.
//
// # When to use it
//
// A Batch is for calls that wait for a disk, and for many files that are opened, read and closed. A
// loop of calls of package os is faster for:
//   - a few calls that do not wait, such as a Stat of a cached file;
//   - renames, links or new directories in one directory, which the kernel makes one after the
//     other.
//
// # How it is performed
//
// The goroutine that calls Do or Each performs the operations. Helper goroutines take chains when
// the Batch takes long, or when an operation waits.
//
// A Batch may have millions of operations. The number in progress is bounded, and so is the number
// of threads ([sluice.Options].Threads). So operations that wait for each other, such as opens of
// both ends of many FIFOs, may wait for ever.
//
// # Concurrency
//
// One goroutine at a time may use a Batch, its Chains and its Ops. The buffer of a read or write
// belongs to the Batch until the operation has ended. While a Batch is performed, also in the body
// of a loop over Each, Reset panics, and so does adding an operation.
package batch
