package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/mapped"
)

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
