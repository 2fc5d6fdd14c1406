// Package content copies the content of one file into another. Most files are regular; one of the
// two may also be a FIFO, a terminal or a device (Kind).
//
//	c := content.New(content.Config{Scheduler: core})
//	defer c.Close()
//	r, err := c.Copy(ctx, dst, src)
//
// The caller opens and closes the files. Copy may move their positions.
//
// # How
//
// If the file system can share data, it is shared (FICLONE, ioctl_ficlonerange(2)). Otherwise a
// small file is read and written. The kernel copies a larger file (splice(2), or copy_file_range(2)
// if a server may do it and for files over 1 GiB). If that fails, it is copied in blocks. From a
// source with holes only the data is copied (lseek(2), SEEK_DATA). If a pair of file systems
// refuses a call, the call is not tried for their other files (support.go).
//
// # What is copied
//
// A copy has the source's bytes up to its end. If the source changes during the copy:
//
//   - A source that shrinks below File.Size is copied up to its new end, as in GNU cp.
//   - A source that grows is copied up to its end at the time when File.Size bytes are copied. The
//     copy stops there, because a file may grow for ever.
//   - A source with no size or a wrong one, as in /proc and /sys, is copied until a read returns
//     nothing.
//
// The destination then has the same length, with any hole at its end. After an error its content is
// undefined.
//
// # Concurrency
//
// Several goroutines may use a Copier. Config.Memory bounds the buffers for large files and
// streams: a Copy waits if all are in use. Each copy of a small file takes another buffer, of 128
// KiB.
package content
