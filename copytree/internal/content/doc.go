// Package content copies the content of one file into another. Most files are regular ones; one of
// the two may also be a FIFO, a terminal or a device (Kind).
//
//	c := content.New(content.Config{Scheduler: core})
//	defer c.Close()
//	r, err := c.Copy(ctx, dst, src)
//
// The caller opens and closes the files. Copy may move their positions.
//
// # How
//
// The data is shared where the file system can do that (FICLONE, ioctl_ficlonerange(2)). Otherwise
// a small file is read and written; a larger one is copied inside the kernel (splice(2), or
// copy_file_range(2) where a server may do it and for files over 1 GiB) or, where that fails, in
// blocks. Of a source with holes only the data is copied (lseek(2), SEEK_DATA). A call that a pair
// of file systems has refused is not tried for its other files (support.go).
//
// # What is copied
//
// The bytes that the source has up to its end. If the source changes meanwhile:
//
//   - a source that became shorter than File.Size is copied up to its new end, as
//     by GNU cp;
//   - one that became longer is copied up to the end that it has when File.Size
//     bytes are copied, and no further: a file may grow for ever;
//   - one without a size, or with a wrong one, as in /proc and /sys, is copied
//     until a read returns nothing.
//
// The destination has the same length afterwards, holes at its end included. After an error it has
// any content.
//
// # Concurrency
//
// A Copier may be used by several goroutines. Config.Memory bounds the buffers for large files and
// streams: a Copy that finds all of them in use waits for one. Each copy of a small file takes
// another buffer, of 128 KiB.
package content
