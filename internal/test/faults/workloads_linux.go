package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/mapped"
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

// directFile uses a direct.File: aligned transfers, parts of blocks, and the file's last block.
func directFile(w *world) {
	var f *direct.File
	if !w.openDirect(&f, w.name, os.O_RDWR) {
		return
	}
	for _, at := range []struct{ off, n int }{{0, 4 * page}, {100, 200}, {6*page - 9, 3 * page}, {38 * page, 2*page + 100}} {
		off := int64(at.off)
		w.read("ReadAt", at.n, off, func(b []byte) (int, error) { return f.ReadAt(b, off) })
		w.write("WriteAt", at.n, off, func(b []byte) (int, error) { return f.WriteAt(b, off) })
		w.read("ReadAt of what was written", at.n, off, func(b []byte) (int, error) { return f.ReadAt(b, off) })
	}
	w.sync("Datasync", f.Datasync)
	w.write("WriteAt over the end", 2*page, fileSize-50, func(b []byte) (int, error) { return f.WriteAt(b, fileSize-50) })
	w.sync("Sync", f.Sync)
	w.call("ReadBuffer", func() error {
		b, err := f.ReadBuffer(context.Background(), 12*page+5, 3*page)
		w.same("ReadBuffer", b.Bytes(), 12*page+5)
		if err == nil && len(b.Bytes()) != 3*page {
			w.wrong("ReadBuffer has %d bytes", len(b.Bytes()))
		}
		b.Release()
		return err
	})
	w.call("ReadMany", func() error {
		ranges := []direct.Range{{Off: 0, Len: 300}, {Off: 3 * page, Len: page}, {Off: 4 * page, Len: page}, {Off: 25 * page, Len: 5 * page}}
		var failed error
		got := 0
		for r, err := range f.ReadMany(context.Background(), slices.Values(ranges), direct.ReadManyOptions{Depth: 4}) {
			if err != nil {
				failed = err
				continue
			}
			got++
			w.same("ReadMany", r.Buffer.Bytes(), r.Off)
			r.Buffer.Release()
		}
		if failed == nil && got != len(ranges) {
			w.wrong("ReadMany gave %d ranges; want %d", got, len(ranges))
		}
		return failed
	})
	w.call("Close", f.Close)
}

// streams writes and reads by streams with several buffers.
func streams(w *world) {
	var f *direct.File
	if !w.openDirect(&f, w.name, os.O_RDWR) {
		return
	}
	writes(w, f, 2*page, 3*page-10, 5)
	writes(w, f, 38*page+5, page, 4) // makes the file longer
	reads(w, f)
	w.sync("Sync", f.Sync)
	w.call("Close", f.Close)
}

// writes writes n pieces by a Writer, with a Sync in the middle. A later call may return an error,
// but not after Close. After an error every call returns it.
func writes(w *world, f *direct.File, off int64, size, n int) {
	before := w.mark()
	wr, err := f.NewWriter(context.Background(), direct.WriterOptions{BufferSize: page, WriteBehind: 4, Start: off})
	if err != nil {
		may, _, _ := w.since(before)
		w.ended("NewWriter", err, may, true)
		return
	}
	// start is the beginning of the bytes that may not be written. at is the place of the next
	// piece.
	start, at := off, off
	broken := false
	do := func(what string, call func() error) bool {
		w.t.Helper()
		err := call()
		may, must, _ := w.since(before)
		if broken && err == nil {
			w.wrong("%s of a Writer = nil after an error", what)
		}
		// The operation may fail after the call has returned.
		if err != nil || what == "Close" || what == "Flush" {
			w.ended(what+" of a Writer", err, may || broken || w.lossy, must || broken)
		}
		broken = broken || err != nil
		return err == nil
	}
	for i := range n {
		b := bytes.Repeat([]byte{byte(i + 1)}, size)
		wrote := do("Write", func() error {
			n, err := wr.Write(b)
			if err == nil && n != len(b) {
				w.wrong("Write of %d bytes = %d", len(b), n)
			}
			return err
		})
		w.wrote(b, at, 0, io.ErrShortWrite)
		if wrote {
			w.set(b, at)
		}
		at += int64(size)
		if i == n/2 {
			made := w.mark()
			if do("Sync", wr.Sync) {
				start = at
				if _, _, now := w.since(made); !now {
					w.wrong("Sync of a Writer = nil, and has synced nothing")
				}
			} else {
				w.lossy = w.lossy || w.what.errno != 0 && f.Sync() != nil
			}
		}
		if i == n-2 && do("Flush", wr.Flush) {
			start = at
		}
	}
	if !do("Close", wr.Close) {
		w.forget(start, int(at-start))
	}
}

// reads reads the whole file by a Reader. After an error it continues at the same place.
func reads(w *world, f *direct.File) {
	before := w.mark()
	rd, err := f.NewReader(context.Background(), direct.ReaderOptions{BufferSize: page, ReadAhead: 4})
	if err != nil {
		may, _, _ := w.since(before)
		w.ended("NewReader", err, may, true)
		return
	}
	var off int64
	failures := 0
	for failures < 3 {
		b, err := rd.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			failures++
			may, _, _ := w.since(before)
			w.ended("Next of a Reader", err, may, false)
			continue
		}
		w.same("Next of a Reader", b.Bytes(), off)
		off += int64(len(b.Bytes()))
		b.Release()
	}
	_, must, _ := w.since(before)
	var size int64
	w.asks("Size", func() (err error) {
		size, err = f.Size()
		return err
	})
	switch {
	case failures < 3 && size != 0 && off != size:
		w.wrong("a Reader had %d bytes; want %d", off, size)
	case failures == 0 && must:
		w.wrong("an operation of a Reader has failed, and it returned no error")
	}
	w.call("Close of a Reader", rd.Close)
}

// cached reads and writes through a cache with room for a part of the file.
func cached(w *world) {
	var d *direct.File
	if !w.openDirect(&d, w.name, os.O_RDWR) {
		return
	}
	c, err := cache.New(cache.Options{Bytes: 16 * page, Block: page})
	if err != nil {
		w.t.Fatal(err)
	}
	f := c.File(d)
	for range 2 {
		w.read("ReadAt", 3*page, 50, func(b []byte) (int, error) { return f.ReadAt(b, 50) })
	}
	w.call("View", func() error {
		v, err := f.View(context.Background(), 10*page, 100)
		if err == nil {
			w.same("View", v.Bytes(), 10*page)
			v.Release()
		}
		if errors.Is(err, cache.ErrFull) && w.supervised {
			err = w.what.errno // no memory for the block
		}
		return err
	})
	w.write("WriteAt", 2*page, page+9, func(b []byte) (int, error) { return f.WriteAt(b, page+9) })
	w.read("ReadAt of what was written", 2*page, page+9, func(b []byte) (int, error) { return f.ReadAt(b, page+9) })
	w.read("ReadAt of more than the cache has", 30*page, 0, func(b []byte) (int, error) { return f.ReadAt(b, 0) })
	w.sync("Sync", f.Sync)
	w.read("ReadAt of the end", page, fileSize-page, func(b []byte) (int, error) { return f.ReadAt(b, fileSize-page) })
	var st cache.Stats
	w.settles(func() bool { st = c.Stats(); return st.Pinned == 0 && st.Bytes <= st.Limit },
		func() string { return fmt.Sprintf("the cache has %+v", st) })
	w.call("Close", f.Close)
	if err := c.Close(); err != nil {
		w.wrong("Close of the cache = %v", err)
	}
	if st := c.Stats(); st.Bytes != 0 {
		w.wrong("the closed cache has %+v", st)
	}
}

// mappedFile reads through mapped memory.
func mappedFile(w *world) {
	var f *sluice.File
	if !w.openFile(&f, w.name, os.O_RDONLY) {
		return
	}
	var m *mapped.Mapping
	if open(w, &m, func() (*mapped.Mapping, error) { return mapped.Map(f, 0, 0) }) {
		for _, at := range []struct{ off, n int64 }{{0, 100}, {10 * page, 5 * page}, {fileSize - 200, 200}} {
			w.drop() // pages that the mapping has touched stay
			w.call("Load", func() error {
				b, err := m.Load(at.off, at.n)
				if err == nil {
					w.same("Load", b, at.off)
				}
				return err
			})
		}
		w.call("Close of the mapping", m.Close)
	}
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

// TreeCopy copies a tree durably.
type TreeCopy struct {
	Do     func(ctx context.Context, s *sluice.Scheduler, dst, src string) error
	Fsyncs bool // calls fsync for each file, not only syncfs
}

// treeName is the name of the workload that copies trees.
const treeName = "tree"

// fsynced is the directory of the files that TreeCopy.Fsyncs closes after an fsync, which has
// reported each loss.
const fsynced = "fsynced"

// Tree is the workload of a package that copies trees: one tree in each of the ways.
func Tree(ways ...TreeCopy) Workload {
	return Workload{treeName, func(w *world) { w.tree(ways) }}
}

func (w *world) tree(ways []TreeCopy) {
	src := filepath.Join(w.dir, "tree")
	names := []string{"one", "two", filepath.Join("dir", "three")}
	w.outside(func() error {
		err := os.MkdirAll(filepath.Join(src, "dir"), 0o700)
		for i, name := range names {
			name = filepath.Join(src, name)
			err = errors.Join(err, os.WriteFile(name, w.want[i*100:][:10*page], 0o600), drop(name))
		}
		return err
	})
	for _, way := range ways {
		dst := filepath.Join(w.dir, "copy")
		if way.Fsyncs {
			dst = filepath.Join(w.dir, fsynced)
		}
		w.call("Copy of a tree", func() error {
			err := way.Do(context.Background(), w.s, dst, src)
			for i, name := range names {
				var got []byte
				w.outside(func() error {
					got, _ = os.ReadFile(filepath.Join(dst, name))
					return nil
				})
				if err == nil && !bytes.Equal(got, w.want[i*100:][:10*page]) {
					w.wrong("Copy of a tree = nil, and %s has %d other bytes", name, len(got))
				}
			}
			return err
		})
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
