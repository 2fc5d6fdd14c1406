// Package content copies what is in one file into another. Most are regular ones;
// one of the two may also be a FIFO, a terminal or a device (Kind).
//
//	c := content.New(content.Config{Scheduler: core})
//	defer c.Close()
//	r, err := c.Copy(ctx, dst, src)
//
// The files are open descriptors of the caller's. Their positions may be moved.
//
// # How
//
// The data is shared if it can be (FICLONE, ioctl_ficlonerange(2)). A small file
// is read and written otherwise; a larger one is copied inside the kernel
// (splice(2), or copy_file_range(2) where a server may do it) or, where that cannot
// be, in blocks. Of a source with holes
// only the data is (lseek(2), SEEK_DATA). What a pair of file systems has refused
// is not asked of it again.
//
// # What is copied
//
// The bytes that the source has up to its end. A source that changes meanwhile
// is copied so:
//
//   - shorter than File.Size said: what is there, as GNU cp does;
//   - longer: up to the end as it is when File.Size bytes are copied, and no
//     further, so that a file that grows for ever is a file;
//   - of no size, or one that is not true, as in /proc and /sys: until a read
//     returns nothing.
//
// The destination has the same length afterwards, holes at its end included.
// After an error it has any content.
//
// # Concurrency
//
// A Copier is for any number of goroutines. What it has in buffers is bounded
// (Config.Memory): who comes when all are in use waits.
package content
