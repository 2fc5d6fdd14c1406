package direct_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// The tests below look for defects of another library of this kind.

// TestOddBufferSizes: a stream must not return wrong bytes if its buffers are no power of two.
func TestOddBufferSizes(t *testing.T) {
	start := seed.Of(t)
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		r := rand.New(rand.NewPCG(start, 0))
		all := testenv.Noise(3<<20 + 12345)
		name := filepath.Join(dir, "odd")
		for _, size := range []int{3, 513, 1536, 3 << 10, 6000, 10_000, 12 << 10, 100 << 10, 300<<10 + 7, 700 << 10, 1500 << 10, 3 << 20} {
			f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
			if err != nil {
				t.Fatal(err)
			}
			count, want := 1+r.IntN(6), all[:min(len(all), 30*size+size/3)]
			w := writer(t, f, direct.WriterOptions{BufferSize: size, WriteBehind: count})
			if n, err := io.Copy(onlyWrite{w}, onlyRead{bytes.NewReader(want)}); n != int64(len(want)) || err != nil {
				t.Fatal(n, err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("Writer, %d x %d: %d bytes (%08x), %v; want %d (%08x)", size, count, len(got), testenv.Sum(got), err, len(want), testenv.Sum(want))
			}
			got, sizes := nextAll(t, reader(t, f, direct.ReaderOptions{BufferSize: size, ReadAhead: count}))
			if !bytes.Equal(got, want) {
				t.Errorf("Reader, %d x %d: %d bytes (%08x); want %d (%08x)", size, count, len(got), testenv.Sum(got), len(want), testenv.Sum(want))
			}
			for _, n := range sizes[:len(sizes)-1] {
				if n != sizes[0] || n < size || n >= size+4096 {
					t.Fatalf("Reader, %d x %d: a Buffer of %d bytes after one of %d", size, count, n, sizes[0])
				}
			}
			f.Close()
		}
	})
}

// onlyWrite hides all of a Writer but Write.
type onlyWrite struct{ io.Writer }

// TestNothingPastTheEnd: a read near the end of a file must return only the file's bytes.
func TestNothingPastTheEnd(t *testing.T) {
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := filepath.Join(dir, "end")
		for _, size := range []int{1, 511, 512, 513, testenv.PageSize - 1, testenv.PageSize, testenv.PageSize + 1, 3*testenv.PageSize - 1, 64<<10 + 1} {
			want := bytes.Repeat([]byte{'x'}, size)
			testenv.Write(t, name, string(want))
			f, err := direct.OpenOn(s, name, os.O_RDONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, start := range []int{0, 1, size / 2, size - 1, size, size + 1} {
				for _, o := range []direct.ReaderOptions{{}, {BufferSize: 512, ReadAhead: 3}, {BufferSize: testenv.PageSize, ReadAhead: 10}} {
					o.Start = int64(start)
					if got, _ := nextAll(t, reader(t, f, o)); !bytes.Equal(got, want[min(start, size):]) {
						t.Errorf("%+v of %d bytes: %d bytes", o, size, len(got))
					}
				}
			}
			f.Close()
		}
	})
}

// TestFlushIsExact: Flush must not leave the file longer than the bytes written, for Close to cut
// off. Another process watches the size.
func TestFlushIsExact(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f, err := direct.OpenOn(s, filepath.Join(dir, "flushed"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		stop := watchSize(t, f.Name())
		promise := newPromise(t, f.Name())
		defer stop()
		w := writer(t, f, direct.WriterOptions{BufferSize: 8 << 10, WriteBehind: 3})
		size := int64(0)
		r := rand.New(rand.NewPCG(seed.Of(t), 0))
		for range 200 {
			n := 1 + r.IntN(20_000)
			promise(size + int64(n))
			if _, err := w.Write(make([]byte, n)); err != nil {
				t.Fatal(err)
			}
			size += int64(n)
			flush := w.Flush
			if r.IntN(8) == 0 {
				flush = w.Sync
			}
			if err := flush(); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(f.Name()); err != nil || info.Size() != size {
				t.Fatalf("after Flush the file has %d bytes, %v; want %d", info.Size(), err, size)
			}
		}
	})
}

// TestSyncComesLast: Sync must be an fsync after the last change of the size, and Close must not
// change flushed bytes.
func TestSyncComesLast(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f, err := direct.OpenOn(s, filepath.Join(dir, "synced"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w, err := f.NewWriter(context.Background(), direct.WriterOptions{BufferSize: 8 << 10})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(testenv.Noise(30_001)); err != nil {
			t.Fatal(err)
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		before, written := sizeAndTime(t, f), s.Stats().BytesWritten
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if after := sizeAndTime(t, f); after != before || s.Stats().BytesWritten != written {
			t.Errorf("Close after Sync has written %d bytes: %s; was %s", s.Stats().BytesWritten-written, after, before)
		}
	})
}

func sizeAndTime(t *testing.T, f *direct.File) string {
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(info.Size(), info.ModTime())
}
