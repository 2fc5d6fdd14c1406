package floor

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sys/unix"
)

// Copy copies the directory src to dst, which must not exist. It stops at the first error.
//
// Copy is for a process that does nothing else. It makes raw system calls, which the Go scheduler
// does not see. So it sets GOMAXPROCS to the number of threads, and turns off the garbage
// collector, which would wait for threads in system calls.
func Copy(dst, src string, o Options) error {
	runtime.GOMAXPROCS(o.Threads)
	debug.SetGCPercent(-1)
	if err := os.Mkdir(dst, 0o755); err != nil {
		return err
	}
	q := newQueue(pair{src: src, dst: dst})
	errs := make([]error, o.Threads)
	var wg sync.WaitGroup
	for i := range o.Threads {
		wg.Go(func() {
			runtime.LockOSThread()
			errs[i] = newWorker(o).run(q)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// worker is one thread with its buffers.
type worker struct {
	Options
	data    []byte
	entries []byte // entries of a directory, from getdents64(2)
	found   []pair // subdirectories that are not in the queue yet
}

func newWorker(o Options) *worker {
	return &worker{Options: o, data: make([]byte, o.BlockSize), entries: make([]byte, 64<<10)}
}

// run copies directories until none is left.
func (w *worker) run(q *queue) error {
	for {
		p, ok := q.take()
		if !ok {
			return nil
		}
		err := w.dir(p)
		q.done(w.found, err)
		w.found = w.found[:0]
		if err != nil {
			return err
		}
	}
}

// dir copies the files of a directory. It creates its subdirectories and adds them to found.
func (w *worker) dir(p pair) error {
	src, err := openat(unix.AT_FDCWD, cstring(p.src), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOATIME, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: p.src, Err: err}
	}
	dst, err := openat(unix.AT_FDCWD, cstring(p.dst), unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: p.dst, Err: err}
	}
	defer closeFD(src)
	defer closeFD(dst)
	for {
		n, err := getdents(src, w.entries)
		if err != nil {
			return &os.PathError{Op: "getdents64", Path: p.src, Err: err}
		}
		if n == 0 {
			return w.sync(dst)
		}
		if err := w.copyEntries(p, src, dst, w.entries[:n]); err != nil {
			return err
		}
	}
}

// copyEntries copies the entries of a directory.
func (w *worker) copyEntries(p pair, src, dst int, entries []byte) error {
	for len(entries) > 0 {
		e := entryOf(entries)
		entries = entries[e.length:]
		var err error
		switch {
		case e.kind == unix.DT_REG:
			err = w.file(src, dst, e.name)
		case e.kind != unix.DT_DIR:
			err = unix.ENOTSUP // the measured trees have nothing else
		case !e.dots():
			err = mkdirat(dst, e.name, 0o755)
			w.found = append(w.found, p.join(e.text()))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.join(e.text()).src, err)
		}
	}
	return nil
}

// file copies one file. A short read means its end.
func (w *worker) file(src, dst int, name *byte) error {
	from, err := openat(src, name, unix.O_RDONLY|unix.O_NOATIME, 0)
	if err != nil {
		return err
	}
	defer closeFD(from)
	to, err := openat(dst, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer closeFD(to)
	for {
		n, err := read(from, w.data)
		if err != nil {
			return err
		}
		if err := writeAll(to, w.data[:n]); err != nil {
			return err
		}
		if n < len(w.data) {
			return w.sync(to)
		}
	}
}

// writeAll writes b. A short write is an error: the disk is full.
func writeAll(fd int, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, err := write(fd, b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

func (w *worker) sync(fd int) error {
	if !w.Fsync {
		return nil
	}
	return fsync(fd)
}
