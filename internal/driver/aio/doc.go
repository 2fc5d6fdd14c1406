// Package aio drives Linux AIO (io_submit(2)): the asynchronous way to a disk
// where io_uring is forbidden, as it is in most containers.
//
// A Queue is one AIO context and a pool of threads. io_submit blocks for files
// that were not opened with O_DIRECT, so only direct reads and writes go to the
// context. So do fsync and fdatasync, which AIO hands to the kernel's own work
// queue (4.18). The pool performs everything else.
//
// The goroutine in Reap is parked in Go's netpoller, on an eventfd that the kernel
// writes to with every completion. It reads the completions themselves without a
// system call, from the context's event buffer, which the kernel maps into the
// process (struct aio_ring).
//
// # What keeps io_submit from blocking
//
// While io_submit blocks for one operation, all operations behind it wait, and the goroutine that
// submits waits, too. The figures below were measured on ext4, xfs and a block device (Linux 6.18,
// 4 KiB, 16 to 1024 in flight).
//
// A write that extends its file is performed completely within io_submit, so it
// goes to the pool. To find out, the file's size is looked up once a batch
// (0.4 µs).
//
// Other writes go to the context, but a goroutine for each device submits them. io_submit blocks
// while a file system is frozen (fsfreeze(8)), whatever the flags: aio_write in fs/aio.c takes the
// file system's lock before it looks at them. See submitters. These writes do not carry RWF_NOWAIT,
// with which writes that may have to wait would go to the pool. RWF_NOWAIT fails where the write
// changes mtime (without it xfs has 40 % more operations a second) or fills a hole (without it ext4
// has 4 to 7 times more, as the threads queue for the inode's lock). Neither case waits for the
// disk.
//
// Reads carry RWF_NOWAIT, and go to the pool if they fail with EAGAIN. It costs
// nothing as long as they do not fail. If another thread appends to one of the
// files, or writes to one through the page cache, the other files are read twice as
// fast. Block devices are the exception: they return EAGAIN whenever their queue is
// full, and for every request above 1 MiB. There reads do without it (see plainFiles).
package aio
