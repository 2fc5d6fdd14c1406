package direct_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// readerAtOptions configure a stream of 256 KiB.
var readerAtOptions = direct.ReaderOptions{BufferSize: 64 << 10, ReadAhead: 4}

// bytesRead returns how many bytes s reads during do, and in how many operations.
func bytesRead(s *sluice.Scheduler, do func()) (n, operations int64) {
	before := s.Stats()
	do()
	after := s.Stats()
	return after.BytesRead - before.BytesRead, after.Queued + after.Plain - before.Queued - before.Plain
}

func readAtOf(t *testing.T, r *direct.Reader, file []byte, off, n int) {
	t.Helper()
	b := make([]byte, n)
	if got, err := r.ReadAt(b, int64(off)); got != n || err != nil || !bytes.Equal(b, file[off:off+n]) {
		t.Fatalf("ReadAt(%d) at %d = %d, %v; want the bytes of the file", n, off, got, err)
	}
}

// TestReaderAt checks that reads from front to back, even with gaps, take the file from the device
// once, in large requests. Reads in any other order read only their own bytes.
func TestReaderAt(t *testing.T) {
	const size = 4 << 20
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, file := testenv.DirectNoise(t, s, size)
		r := reader(t, f, readerAtOptions)
		n, operations := bytesRead(s, func() {
			for off := 0; off < size-1000; off += 3000 {
				readAtOf(t, r, file, off, 1000)
			}
		})
		if n > size || n < size-(64<<10) || operations > size/(64<<10)+4 {
			t.Errorf("front to back: %d bytes in %d operations; want %d in %d", n, operations, size, size/(64<<10))
		}
		// The stream is at the end of the file and stays there.
		n, _ = bytesRead(s, func() {
			for off := size/2 - 1000; off > 0; off -= 50_000 {
				readAtOf(t, r, file, off, 1000)
			}
		})
		if most := int64(size / 2 / 50_000 * 8192); n > most+8192 {
			t.Errorf("back to front: %d bytes; want no more than %d", n, most)
		}
		// Two places in turn: the Reader follows one, and the other has small reads.
		r = reader(t, f, readerAtOptions)
		n, _ = bytesRead(s, func() {
			for off := 0; off < size/2; off += 4096 {
				readAtOf(t, r, file, off, 4096)
				readAtOf(t, r, file, size*3/4+off/8, 512)
			}
		})
		if most := int64(size/2 + size/2/4096*4096 + 512<<10); n > most {
			t.Errorf("two streams in turn: %d bytes; want no more than %d", n, most)
		}
		// Successive reads elsewhere move the stream.
		r = reader(t, f, readerAtOptions)
		_, operations = bytesRead(s, func() {
			for off := size / 2; off < size; off += 4096 {
				readAtOf(t, r, file, off, 4096)
			}
		})
		if most := int64(size/2/(64<<10) + 10); operations > most {
			t.Errorf("a stream elsewhere: %d operations; want at most %d", operations, most)
		}
	})
}

// A ReadAt without memory in the pool does not wait.
func TestReaderAtNoMemory(t *testing.T) {
	hang.Watch(t)
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: name, BufferMemory: 4 << 20})
			f, file := testenv.DirectNoise(t, s, 4<<20)
			taken, err := f.ReadBuffer(context.Background(), 0, 2<<20)
			if err != nil {
				t.Fatal(err)
			}
			defer taken.Release()
			r := reader(t, f, readerAtOptions)
			for off := 0; off < 1<<20; off += 4096 {
				readAtOf(t, r, file, off, 4096)
			}
			if st := s.Stats(); st.BuffersInUse != 2<<20 {
				t.Errorf("%d bytes of buffers in use; want none beside %d", st.BuffersInUse, 2<<20)
			}
		})
	}
}

// TestReaderAtErrors checks that the errors equal File.ReadAt's.
func TestReaderAtErrors(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, file := testenv.DirectNoise(t, s, 100_000)
		ctx, cancel := context.WithCancel(context.Background())
		r, err := f.NewReader(ctx, direct.ReaderOptions{Start: 1000, End: 50_000})
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 100)
		for off, want := range map[int64]int{48_950: 50, 49_000: 0, 60_000: 0, math.MaxInt64 - 1100: 0} {
			n, err := r.ReadAt(b, off)
			if n != want || err != io.EOF || !bytes.Equal(b[:n], file[min(1000+off, 50_000):][:want]) {
				t.Errorf("ReadAt at %d = %d, %v; want %d, io.EOF", off, n, err, want)
			}
		}
		var path *os.PathError
		for _, off := range []int64{-1, math.MinInt64, math.MaxInt64 - 1099, math.MaxInt64} {
			if n, err := r.ReadAt(b, off); n != 0 || !errors.As(err, &path) {
				t.Errorf("ReadAt at %d = %d, %v; want an error with the name", off, n, err)
			}
		}
		if n, err := r.ReadAt(nil, 10); n != 0 || err != nil {
			t.Errorf("ReadAt of nothing = %d, %v", n, err)
		}
		cancel()
		if n, err := r.ReadAt(b, 10); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("ReadAt once the context has ended = %d, %v; want its error", n, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if n, err := r.ReadAt(b, 10); n != 0 || !errors.Is(err, os.ErrClosed) {
			t.Errorf("ReadAt of a closed Reader = %d, %v; want ErrClosed", n, err)
		}
		r = reader(t, f, direct.ReaderOptions{})
		readAtOf(t, r, file, 0, 100)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if n, err := r.ReadAt(b, 90_000); n != 0 || !errors.Is(err, os.ErrClosed) {
			t.Errorf("ReadAt of a closed File = %d, %v; want ErrClosed", n, err)
		}
		if n, err := (*direct.Reader)(nil).ReadAt(b, 0); n != 0 || !errors.Is(err, os.ErrInvalid) {
			t.Errorf("ReadAt of a nil Reader = %d, %v; want ErrInvalid", n, err)
		}
	})
}
