// Package cache keeps blocks of direct files in memory, in an amount of memory that the program
// sets. It is to direct files what the page cache is to other files.
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
// A read of cached blocks makes no system call, except at the end of the file, and takes no lock.
// [File.View] copies nothing: it returns the cache's memory, which does not change until the View
// is released.
//
// If several goroutines read the same missing block at once, one of them reads it from the disk. If
// this read fails in that block, all of them get the error.
//
// A write goes to the disk before the call returns, and removes the written blocks from the cache.
// If a program changes bytes of the file in another way, it must call [File.Invalidate] afterwards.
//
// The cache evicts blocks by S3-FIFO (Yang and others, SOSP 2023), so that a scan does not evict
// blocks that are read often (docs/decisions/0011-cache.md).
//
// # Errors
//
// Errors of the direct file are returned unchanged. Errors of the cache are *fs.PathError. They
// wrap os.ErrClosed, ErrFull, errors.ErrUnsupported or a context's error. io.EOF is returned
// unwrapped.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once.
package cache
