// Package cache keeps blocks of direct files in memory, within a budget of bytes that the program
// sets. It does for direct files what the page cache does for buffered ones.
//
//	c, err := cache.New(cache.Options{Bytes: 64 << 20})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	d, err := direct.Open("table")
//	if err != nil {
//		return err
//	}
//	f := c.File(d) // closing f, or c, closes d
//	n, err := f.ReadAt(b, off)
//
// A read of cached blocks makes no system call, takes no lock and allocates nothing. Only at the
// end of the file it asks the system for the size. [File.View] does not even copy: it returns the
// cache's own memory, which does not change until the View is released.
//
// Goroutines that miss the same block at once share one read. If the read fails, all of them get
// the error, and nothing is cached.
//
// A write goes to the disk before the call returns, and its blocks leave the cache. A read that
// begins after the write has returned never sees the old bytes. A program that changes the file by
// other means, except growth, then calls [File.Invalidate].
//
// S3-FIFO (Yang and others, SOSP 2023) chooses the blocks to evict, so that one scan does not evict
// the blocks that are used often: docs/decisions/0011-cache.md.
//
// # Errors
//
// The file's errors are returned as they are; see [Direct]. The cache's errors are *fs.PathError
// too, around os.ErrClosed, ErrFull, errors.ErrUnsupported or a context's error. io.EOF is returned
// unwrapped.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once.
package cache
