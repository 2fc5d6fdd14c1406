package offsets

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// reader is a way to read.
type reader struct {
	name string
	read way
	// clips says that bytes beyond the largest offset are not asked for, so that there is no
	// EINVAL. The stream and the cache choose how many bytes they read.
	clips bool
}

// TestReads checks that each read method returns os.File's results at the edges.
func TestReads(t *testing.T) {
	everywhere(t, func(t *testing.T, s *sluice.Scheduler, dir string, edge int64) {
		name := patterned(t, dir, edge)
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		readers := openReaders(t, s, name)
		for _, a := range ranges(edge) {
			b := testenv.AlignedBytes(a.n)
			n, err := f.ReadAt(b, a.off)
			clipped := b[:min(int64(a.n), math.MaxInt64-a.off)]
			m, errClipped := f.ReadAt(clipped, a.off)
			if len(clipped) < a.n && errClipped == nil {
				errClipped = io.EOF
			}
			for _, r := range readers {
				want := result{n, err}
				if r.clips {
					want = result{m, errClipped}
				}
				r.check(t, a, want, b)
			}
		}
	})
}

// check compares a read with os.File's result, and its bytes with b.
func (r reader) check(t *testing.T, a at, want result, b []byte) {
	for _, odd := range []int{0, 1} { // aligned memory and unaligned memory
		mem := testenv.AlignedBytes(a.n + 1)[odd:][:a.n]
		n, err := r.read(mem, a.off)
		if got := (result{n, err}); !got.is(want) {
			t.Errorf("%s of %v = %v; want %v", r.name, a, got, want)
		} else if string(mem[:n]) != string(b[:n]) {
			t.Errorf("%s of %v has other bytes", r.name, a)
		}
	}
}

// patterned makes a file with bytes before and after the edge, as far as the file system allows.
func patterned(t *testing.T, dir string, edge int64) (name string) {
	name = filepath.Join(dir, "reads")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(name) })
	defer f.Close()
	start := edge - 150_000
	b := make([]byte, 150_000+min(10_000, math.MaxInt64-edge))
	for i := range b {
		b[i] = testenv.Pattern(start + int64(i))
	}
	if n, err := f.WriteAt(b, start); n == 0 {
		t.Logf("no bytes at the edge: %v", err) // the file is empty, which is a case, too
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	return name
}

func openReaders(t *testing.T, s *sluice.Scheduler, name string) []reader {
	plain, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	small := direct.ReaderOptions{BufferSize: 4096, ReadAhead: 4}
	ro, rw := openDirect(t, s, name, os.O_RDONLY), openDirect(t, s, name, os.O_RDWR)
	cached := newCache(t).File(openDirect(t, s, name, os.O_RDONLY))
	return []reader{
		{name: "File.ReadAt", read: plain.ReadAt},
		{name: "File.ReadAtContext", read: func(b []byte, off int64) (int, error) {
			return plain.ReadAtContext(t.Context(), b, off)
		}},
		{name: "batch.ReadAt", read: func(b []byte, off int64) (int, error) {
			return batched(t, s, func(c batch.Chain) *batch.Op { return c.ReadAt(batch.On(plain), b, off) })
		}},
		{name: "batch.ReadAt of the chain's file", read: func(b []byte, off int64) (int, error) {
			return batched(t, s, func(c batch.Chain) *batch.Op {
				own := c.Open(name)
				op := c.ReadAt(own, b, off)
				c.Close(own)
				return op
			})
		}},
		{name: "direct.ReadAt", read: ro.ReadAt},
		{name: "direct.ReadAt of a writable file", read: rw.ReadAt},
		{name: "ReadBuffer", read: readBuffer(t, ro)},
		{name: "ReadMany", read: readMany(t, ro)},
		{name: "Reader.ReadAt", read: readerAt(t, ro)},
		{name: "Reader", clips: true, read: readStream(t, ro, direct.ReaderOptions{})},
		{name: "Reader of small buffers", clips: true, read: readStream(t, ro, small)},
		{name: "cache.ReadAt", read: cached.ReadAt},
		{name: "View", clips: true, read: views(t, cached)},
	}
}
