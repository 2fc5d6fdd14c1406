package direct_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

func reader(t testing.TB, f *direct.File, o direct.ReaderOptions) *direct.Reader {
	t.Helper()
	r, err := f.NewReader(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return r
}

// nextAll reads to the end by Next. It returns the bytes, and the sizes of the Buffers.
func nextAll(t testing.TB, r *direct.Reader) (all []byte, sizes []int) {
	t.Helper()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return all, sizes
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Bytes()...)
		sizes = append(sizes, b.Len())
		b.Release()
	}
}

// TestReader reads files that end within a block, in each way.
func TestReader(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, noise := testenv.DirectNoise(t, s, 1<<20+777)
		for _, o := range []direct.ReaderOptions{
			{},
			{BufferSize: 4096, ReadAhead: 10},
			{BufferSize: 4096, ReadAhead: 1},
			{BufferSize: 5000, ReadAhead: 3},
			{BufferSize: 64 << 10, ReadAhead: 5},
			{BufferSize: 600 << 10, ReadAhead: 2},
			{BufferSize: 64 << 10, Start: 100, End: 1 << 20},
			{BufferSize: 64 << 10, Start: 4096, End: 3 << 20},
			{BufferSize: 64 << 10, Start: 300, End: 301},
			{BufferSize: 64 << 10, Start: 300, End: 300},
			{BufferSize: 64 << 10, Start: 2 << 20},
		} {
			end := int64(len(noise))
			if o.End != 0 {
				end = min(end, o.End)
			}
			want := noise[min(o.Start, end):end]
			if got, _ := nextAll(t, reader(t, f, o)); !bytes.Equal(got, want) {
				t.Errorf("%+v: Next has %d bytes; want %d", o, len(got), len(want))
			}
			if got, err := io.ReadAll(reader(t, f, o)); !bytes.Equal(got, want) || err != nil {
				t.Errorf("%+v: Read has %d bytes, %v; want %d", o, len(got), err, len(want))
			}
			var b bytes.Buffer
			if n, err := reader(t, f, o).WriteTo(&b); !bytes.Equal(b.Bytes(), want) || err != nil || n != int64(len(want)) {
				t.Errorf("%+v: WriteTo = %d, %v, with %d bytes; want %d", o, n, err, b.Len(), len(want))
			}
		}
		if n := s.Stats().BuffersInUse; n != 0 {
			t.Errorf("%d bytes of buffers in use at the end", n)
		}
	})
}

// TestWriteToShort checks that WriteTo ends with io.ErrShortWrite when a Writer takes fewer bytes
// than it was given and returns no error. The next read begins at the first byte that the Writer
// has not taken.
func TestWriteToShort(t *testing.T) {
	f, noise := testenv.DirectNoise(t, testenv.Scheduler(t, sluice.Options{}), 10_000)
	r := reader(t, f, direct.ReaderOptions{})
	if n, err := r.WriteTo(new(lazyWriter)); n != 3 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("WriteTo = %d, %v; want 3, %v", n, err, io.ErrShortWrite)
	}
	if b, err := readByte(r); b != noise[3] || err != nil {
		t.Errorf("Read of a byte = %d, %v; want %d, nil", b, err, noise[3])
	}
}

// lazyWriter takes only three bytes of the first Write, and all bytes of later ones.
type lazyWriter struct{ called bool }

func (w *lazyWriter) Write(b []byte) (int, error) {
	if w.called {
		return len(b), nil
	}
	w.called = true
	return 3, nil
}

// readByte is Read of one byte.
func readByte(r *direct.Reader) (byte, error) {
	var b [1]byte
	_, err := r.Read(b[:])
	return b[0], err
}

// writeByte is Write of one byte.
func writeByte(w *direct.Writer, c byte) error {
	_, err := w.Write([]byte{c})
	return err
}
