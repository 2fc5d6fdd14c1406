// Package aio drives Linux AIO (io_submit(2)): the asynchronous way to a disk where io_uring is
// forbidden, as it is in most containers.
//
// A Queue is one AIO context and a pool of threads. io_submit blocks for files without O_DIRECT, so
// only direct reads and writes go to the context. So do fsync and fdatasync, which AIO hands to the
// kernel's own work queue (4.18). The pool performs everything else.
//
// The goroutine in Reap is parked in Go's netpoller, on an eventfd that the kernel writes to with
// every completion. It reads the completions without a system call, from the context's event
// buffer, which the kernel maps into the process (struct aio_ring).
//
// # What keeps io_submit from blocking
//
// While io_submit blocks for one operation, all operations behind it wait, and so does the
// goroutine that submits. The figures below were measured on ext4, xfs and a block device (Linux
// 6.18, 4 KiB, 16 to 1024 in flight).
//
// A write that extends its file is performed completely within io_submit, so it goes to the pool.
// To find out, the queue looks up the file's size once a batch (0.4 µs).
//
// All other writes go to the context, but a goroutine for each device submits them (submitters).
// io_submit blocks while a file system is frozen (fsfreeze(8)), whatever the flags: aio_write in
// fs/aio.c takes the file system's lock before it looks at them. These writes do not carry
// RWF_NOWAIT, with which writes that may have to wait would go to the pool. It fails for a write
// that changes mtime or fills a hole, although neither waits for the disk. In the pool, threads
// would queue for the inode's lock: without RWF_NOWAIT xfs makes 40 % more operations a second, and
// ext4 fills holes 4 to 7 times faster.
//
// Reads carry RWF_NOWAIT, and go to the pool if they fail with EAGAIN. It costs nothing while they
// do not fail. If another thread appends to one of the files, or writes to one through the page
// cache, reads of all other files are twice as fast with it. Block devices are the exception: they
// return EAGAIN whenever their queue is full, and for every request above 1 MiB. Their reads do
// without it (see plainFiles).
package aio
