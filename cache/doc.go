// Package cache keeps blocks of direct files in memory, within a budget of bytes that the program
// sets. It does for direct files what the page cache does for other files.
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
// end of the file it makes one, which asks for the size. [File.View] does not even copy: it returns
// the cache's own memory, which does not change until the View is released.
//
// If several goroutines miss the same block at once, one of them reads it and the others wait for
// that read. If it fails, all of them get the error, and nothing is cached.
//
// A write goes to the disk before the call returns, and the blocks that it touches leave the cache.
// So do the blocks of a hole that is punched. A read that begins after the write has returned never
// sees the old bytes. A program that changes a file in another way calls [File.Invalidate]. It need
// not do so if the file has only become longer.
//
// S3-FIFO (Yang and others, SOSP 2023) decides which block makes room for another, so that one scan
// of a file does not evict the blocks that are used often. docs/decisions/0011-cache.md has what
// was measured.
//
// # Errors
//
// Errors are those of the file, see [Direct]. Those of the cache itself are *fs.PathError too,
// around os.ErrClosed, [ErrFull], errors.ErrUnsupported or a context's error. io.EOF is bare.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once.
package cache
