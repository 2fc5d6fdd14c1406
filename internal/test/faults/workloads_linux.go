package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// Workload is a fixed series of calls. It returns when it has closed all that it opened.
type Workload struct {
	name string
	run  func(w *world)
}

// Library has the workloads of the library.
var Library = []Workload{
	{"file", file},
	{"direct", directFile},
	{"stream", streams},
	{"cache", cached},
	{"mapped", mappedFile},
	{"copy", copies},
	{"batch", batches},
	{"transparent", transparentFile},
}

const page = testenv.PageSize

// open opens the file with a call. It returns false if the call failed.
func open[F io.Closer](w *world, f *F, do func() (F, error)) bool {
	w.t.Helper()
	w.lossy = false // only a new file may sync again
	before, asked := w.mark(), w.unanswered()
	var err error
	*f, err = do()
	may, must, _ := w.since(before)
	return w.ended("open", err, may, must || w.unanswered() > asked)
}

func (w *world) openFile(f **sluice.File, name string, flag int) bool {
	w.t.Helper()
	return open(w, f, func() (*sluice.File, error) { return w.s.OpenFile(name, flag, 0o600) })
}

func (w *world) openDirect(f **direct.File, name string, flag int) bool {
	w.t.Helper()
	return open(w, f, func() (*direct.File, error) { return direct.OpenOn(w.s, name, flag, 0o600) })
}

// file uses a sluice.File.
func file(w *world) {
	var f *sluice.File
	if !w.openFile(&f, w.name, os.O_RDWR) {
		return
	}
	w.read("ReadAt", 3*page, 100, func(b []byte) (int, error) { return f.ReadAt(b, 100) })
	w.read("Read", page, 0, f.Read)
	w.write("WriteAt", 2*page, 5*page+7, func(b []byte) (int, error) { return f.WriteAt(b, 5*page+7) })
	w.sync("Sync", f.Sync)
	w.read("ReadAt of what was written", 2*page, 5*page+7, func(b []byte) (int, error) { return f.ReadAt(b, 5*page+7) })
	w.write("WriteAt at the end", page, fileSize, func(b []byte) (int, error) { return f.WriteAt(b, fileSize) })
	w.sync("Datasync", f.Datasync)
	w.call("Allocate", func() error { return f.Allocate(0, 4*page) })
	w.call("PunchHole", func() error {
		err := f.PunchHole(20*page, page)
		if err == nil {
			w.set(make([]byte, page), 20*page)
		}
		return err
	})
	w.sync("Sync", f.Sync)
	w.asks("Stat", func() error {
		info, err := f.Stat()
		if err == nil && w.known[len(w.want)-1] && info.Size() != int64(len(w.want)) {
			w.wrong("Stat has a size of %d; want %d", info.Size(), len(w.want))
		}
		return err
	})
	w.call("Close", f.Close)
	if !w.openFile(&f, w.name, os.O_RDWR|sys.O_DIRECT) {
		return
	}
	w.read("ReadAt past the page cache", 4*page, 8*page, func(b []byte) (int, error) { return f.ReadAt(b, 8*page) })
	w.write("WriteAt past the page cache", 4*page, 8*page, func(b []byte) (int, error) { return f.WriteAt(b, 8*page) })
	w.sync("Datasync", f.Datasync)
	w.call("Close", f.Close)
	if !w.openFile(&f, w.name, os.O_RDWR|os.O_SYNC) {
		return
	}
	w.write("WriteAt with O_SYNC", 2*page, 30*page, func(b []byte) (int, error) { return f.WriteAt(b, 30*page) })
	w.call("Close", f.Close)
	if w.supervised { // the Sync of a directory is no driver operation
		directory(w)
	}
}

// directory syncs a File without disk I/O.
func directory(w *world) {
	var f *sluice.File
	if !w.openFile(&f, w.dir, os.O_RDONLY) {
		return
	}
	w.sync("Sync of a directory", f.Sync)
	w.sync("Datasync of a directory", f.Datasync)
	w.call("Close", f.Close)
}

// copies copies the file: file to file, through memory, and through streams.
func copies(w *world) {
	var src, dst *sluice.File
	if !w.openFile(&src, w.name, os.O_RDONLY) {
		return
	}
	name := filepath.Join(w.dir, "copy")
	if w.openFile(&dst, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC) {
		w.call("ReadFrom of a file", func() error { n, err := dst.ReadFrom(src); return w.copied(name, 0, n, err) })
		w.call("Seek", func() error { _, err := src.Seek(0, io.SeekStart); return err })
		w.drop()
		w.call("ReadFrom of a Reader", func() error {
			n, err := dst.ReadFrom(struct{ io.Reader }{src})
			return w.copied(name, fileSize, n, err)
		})
		w.call("Seek", func() error { _, err := src.Seek(page, io.SeekStart); return err })
		w.drop()
		w.call("WriteTo", func() error {
			var b bytes.Buffer
			n, err := src.WriteTo(struct{ io.Writer }{&b})
			w.same("WriteTo", b.Bytes(), page)
			if n != int64(b.Len()) || err == nil && n != fileSize-page {
				w.wrong("WriteTo = %d, %v, with %d bytes", n, err, b.Len())
			}
			return err
		})
		w.call("Close", dst.Close)
	}
	w.call("Close", src.Close)
	var from, to *direct.File
	if !w.openDirect(&from, w.name, os.O_RDONLY) {
		return
	}
	if w.openDirect(&to, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC) {
		w.call("copy by streams", func() error {
			rd, err := from.NewReader(context.Background(), direct.ReaderOptions{BufferSize: 2 * page, ReadAhead: 3})
			if err != nil {
				return err
			}
			wr, err := to.NewWriter(context.Background(), direct.WriterOptions{BufferSize: 2 * page, WriteBehind: 3})
			if err != nil {
				return errors.Join(err, rd.Close())
			}
			n, err := io.Copy(wr, rd)
			err = errors.Join(err, wr.Close(), rd.Close())
			if err == nil && n != fileSize {
				w.wrong("the copy by streams has %d bytes", n)
			}
			if err == nil {
				err = w.copied(name, 0, n, nil)
			}
			return err
		})
		w.call("Close", to.Close)
	}
	w.call("Close", from.Close)
}

// copied judges a copy to the named file at off: the counted bytes must be there.
func (w *world) copied(name string, off, n int64, err error) error {
	w.t.Helper()
	var got []byte
	w.outside(func() (err error) {
		got, err = os.ReadFile(name)
		return err
	})
	if err == nil && n < fileSize && off == 0 {
		w.wrong("a copy of %d bytes, and no error", n)
	}
	if int64(len(got)) < n || !bytes.Equal(got[int64(len(got))-min(int64(len(got)), n):][:n], w.want[:n]) && err == nil {
		w.wrong("a copy of %d bytes at %d has other bytes", n, off)
	}
	return err
}

// batches performs Batches: chains that read whole files, and writes and syncs of open files.
func batches(w *world) {
	const files = 6
	var names []string
	for i := range files {
		name := filepath.Join(w.dir, fmt.Sprint("small", i))
		w.outside(func() error { return errors.Join(os.WriteFile(name, w.want[i*100:][:page], 0o600), drop(name)) })
		names = append(names, name)
	}
	b := batch.New(w.s)
	bufs := make([][]byte, files)
	reads := make([]*batch.Op, files)
	w.call("Do of chains", func() error {
		for i, name := range names {
			bufs[i] = make([]byte, page)
			c := b.Chain()
			open := c.Open(name)
			reads[i] = c.ReadAt(open, bufs[i], 0)
			c.Close(open)
		}
		err := b.Do(context.Background())
		for i, op := range reads {
			n := op.N()
			if op.Err() == nil && n != page || !bytes.Equal(bufs[i][:n], w.want[i*100:][:n]) {
				w.wrong("ReadAt of a Batch = %d, %v, or other bytes", n, op.Err())
			}
		}
		return err
	})
	var f *sluice.File
	if !w.openFile(&f, w.name, os.O_RDWR) {
		return
	}
	b.Reset()
	var wrote, synced *batch.Op
	piece := bytes.Repeat([]byte("batch"), page)
	made := w.mark()
	w.call("Do of a write and a sync", func() error {
		c := b.Chain()
		wrote = c.WriteAt(batch.On(f), piece, 3*page+3)
		synced = c.Sync(batch.On(f))
		read := b.Chain().ReadAt(batch.On(f), make([]byte, page), 20*page)
		err := b.Do(context.Background())
		w.wrote(piece, 3*page+3, wrote.N(), wrote.Err())
		if read.Err() == nil && read.N() != page {
			w.wrong("ReadAt of a Batch = %d", read.N())
		}
		if _, _, now := w.since(made); synced.Err() == nil && !now {
			w.wrong("Sync of a Batch = nil, and has synced nothing")
		}
		if synced.Err() == nil && wrote.Err() != nil {
			w.wrong("Sync of a Batch = nil after a write that failed before it in the chain")
		}
		return err
	})
	w.call("Close", f.Close)
}

// transparentFile makes the calls of package transparent for an *os.File.
func transparentFile(w *world) {
	for _, flag := range []int{0, sys.O_DIRECT} {
		var f *os.File
		if !open(w, &f, func() (*os.File, error) { return os.OpenFile(w.name, os.O_RDWR|flag, 0) }) {
			return
		}
		w.drop()
		s := inside.Scheduler(w.s).Core
		var core sched.ForeignFile
		core.Set(int(f.Fd()), flag != 0, false)
		w.read("Pread", 3*page, 4*page, func(b []byte) (int, error) {
			return all(b, 4*page, func(b []byte, off int64) (int, error) { return s.Pread(&core.File, b, off) })
		})
		w.read("Read", 2*page, 0, func(b []byte) (int, error) {
			return all(b, 0, func(b []byte, _ int64) (int, error) { return s.ReadCurrent(&core.File, b) })
		})
		w.call("Seek", func() error { _, err := f.Seek(10*page, io.SeekStart); return err })
		w.write("Write", 2*page, 10*page, func(b []byte) (int, error) {
			return all(b, 0, func(b []byte, _ int64) (int, error) { return s.WriteCurrent(&core.File, b) })
		})
		w.sync("Fsync", func() error { return s.Sync(context.Background(), &core.File) })
		w.lossy = false // as in package os, only the kernel remembers a failed sync
		w.write("Pwrite", 2*page, 12*page, func(b []byte) (int, error) {
			return all(b, 12*page, func(b []byte, off int64) (int, error) { return s.Pwrite(&core.File, b, off) })
		})
		w.sync("Fsync", func() error { return s.Sync(context.Background(), &core.File) })
		w.lossy = false // as in package os, only the kernel remembers a failed sync
		w.call("Close", f.Close)
	}
}

// all continues after a short count, as package internal/poll does.
func all(b []byte, off int64, do func(b []byte, off int64) (int, error)) (n int, err error) {
	for n < len(b) && err == nil {
		var k int
		if k, err = do(b[n:], off+int64(n)); k > 0 {
			n += k
		} else if err == nil {
			return n, io.ErrUnexpectedEOF
		}
	}
	return n, err
}
