// Package cache keeps blocks of direct files in memory, within a budget of
// bytes that the program sets: what the page cache does for other files, where
// the program knows better how much memory there is for it.
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
//	f := c.File(d) // closes d when it is closed
//	n, err := f.ReadAt(b, off)
//
// A read of what is there makes no system call, takes no lock and allocates
// nothing. [File.View] does not even copy: it gives the memory of the cache,
// which stays as it is until the View is released.
//
// Of several who miss a block at once, one asks the disk, and the others wait
// for it. If that fails, all of them get the error, and nothing is cached.
//
// What is written through a File reaches the disk before the call returns, and
// its blocks leave the cache, as do those of a hole that is punched: a read that
// begins after that never sees what was there before. Whoever changes a file by another way calls [File.Invalidate];
// that it has become longer is seen without.
//
// Which block makes room for another is decided by S3-FIFO, so that a scan
// does not wash out what is used often. Measured: docs/decisions/0011-cache.md.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once.
package cache
