package offsets

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// writer is a way to write.
type writer struct {
	name  string
	write way
	// stream says that the count is of accepted bytes, and that a range beyond the largest offset
	// is not refused as a whole.
	stream bool
}

// TestWrites checks that each write method leaves os.File's bytes at the edges.
func TestWrites(t *testing.T) {
	everywhere(t, func(t *testing.T, s *sluice.Scheduler, dir string, edge int64) {
		want, got := create(t, filepath.Join(dir, "want")), create(t, filepath.Join(dir, "got"))
		writers := openWriters(t, s, got.Name())
		for _, a := range ranges(edge) {
			b := testenv.AlignedBytes(a.n)
			for i := range b {
				b[i] = testenv.Pattern(a.off + int64(i))
			}
			_, err := want.WriteAt(b, a.off)
			// The file was empty. With an error os.File returns no count, even of written bytes.
			n := int(max(0, size(t, want)-a.off))
			for _, w := range writers {
				if !w.stream || int64(a.n) <= math.MaxInt64-a.off {
					w.check(t, a, result{n, err}, b, want, got)
				}
			}
			empty(t, want)
		}
	})
}

// check writes b to got, and compares it with want, which os.File has written.
func (w writer) check(t *testing.T, a at, r result, b []byte, want, got *os.File) {
	n, err := w.write(b, a.off)
	if w.stream && err != nil {
		n = r.n // the accepted bytes
	}
	if now := (result{n, err}); !now.is(r) {
		t.Errorf("%s of %v = %v; want %v", w.name, a, now, r)
	}
	if err := unix.Fadvise(int(got.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	if has, wants := size(t, got), size(t, want); has != wants {
		t.Errorf("%s of %v: the file has %#x bytes; want %#x", w.name, a, has, wants)
	}
	if r.n > 0 {
		have := make([]byte, r.n)
		if n, _ := got.ReadAt(have, a.off); n != r.n || string(have) != string(b[:r.n]) {
			t.Errorf("%s of %v: %d bytes of %d are there, or others", w.name, a, n, r.n)
		}
	}
	empty(t, got)
}

func create(t *testing.T, name string) *os.File {
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close(); os.Remove(name) })
	return f
}

func empty(t *testing.T, f *os.File) {
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
}

func size(t *testing.T, f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func openWriters(t *testing.T, s *sluice.Scheduler, name string) []writer {
	plain, err := s.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	rw, wo := openDirect(t, s, name, os.O_RDWR), openDirect(t, s, name, os.O_WRONLY)
	return []writer{
		{name: "File.WriteAt", write: plain.WriteAt},
		{name: "batch.WriteAt", write: func(b []byte, off int64) (int, error) {
			return batched(t, s, func(c batch.Chain) *batch.Op { return c.WriteAt(batch.On(plain), b, off) })
		}},
		{name: "batch.WriteAt of the chain's file", write: func(b []byte, off int64) (int, error) {
			return batched(t, s, func(c batch.Chain) *batch.Op {
				own := c.OpenFile(name, os.O_RDWR, 0)
				op := c.WriteAt(own, b, off)
				c.Close(own)
				return op
			})
		}},
		{name: "direct.WriteAt", write: rw.WriteAt},
		{name: "direct.WriteAt without reading", write: wo.WriteAt},
		{name: "cache.WriteAt", write: newCache(t).File(openDirect(t, s, name, os.O_RDWR)).WriteAt},
		{name: "Writer", stream: true, write: writeStream(t, rw, direct.WriterOptions{})},
		{
			name: "Writer of small buffers", stream: true,
			write: writeStream(t, rw, direct.WriterOptions{BufferSize: 4096, WriteBehind: 4}),
		},
	}
}
