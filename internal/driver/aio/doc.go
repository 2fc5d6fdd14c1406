// Package aio drives Linux AIO (io_submit(2)): the asynchronous way to a disk
// where io_uring is forbidden, as it is in most containers.
//
// A Queue is one AIO context and a pool of threads. io_submit blocks for
// files that were not opened with O_DIRECT, so of reads and writes only
// direct ones go to the context; so do fsync and fdatasync, which AIO hands
// to the kernel's own work queue (4.18). The rest goes to the pool.
//
// Who waits in Reap is parked in Go's netpoller, on an eventfd that every
// completion touches. The completions themselves are read from the context's
// ring, which the kernel maps into the process, without a system call.
//
// # What keeps io_submit from blocking
//
// Everything behind an operation that blocks in io_submit waits with it, and
// so does whoever submits. Measured on ext4, xfs and a block device (Linux
// 6.18, 4 KiB, 16 to 1024 in flight):
//
// A write that extends the file is performed to its end within io_submit. It
// goes to the pool: the file's size is looked at, once a batch (0.4 µs).
//
// Other writes go to the context plainly, but by a goroutine of their device: io_submit
// blocks for a file system that is frozen (fsfreeze(8)), whatever the flags (aio_write in
// fs/aio.c takes the file system's lock before it looks at them). See submitters. RWF_NOWAIT, which would send what
// may have to wait to the pool, costs more than it saves: it fails where the
// write changes mtime (xfs, at each clock tick: 40 % more operations a second
// without it) or fills a hole (ext4: 4 to 7 times more, since threads then
// queue for the inode's lock), and none of these waits for the disk.
//
// Reads carry RWF_NOWAIT and go to the pool if they fail with EAGAIN. It
// costs nothing while nothing is in the way, and where another thread appends
// to one of the files, or writes one through the page cache, the others are
// read twice as fast. Block devices are the exception: they answer EAGAIN
// whenever their queue is full and to every request above 1 MiB, so there
// reads do without (see plain).
package aio
