package direct_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

func writer(t testing.TB, f *direct.File, o direct.WriterOptions) *direct.Writer {
	t.Helper()
	w, err := f.NewWriter(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return w
}

// TestWriter writes files of all lengths, from all offsets, in each way.
func TestWriter(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		noise := testenv.Noise(1<<20 + 777)
		for _, o := range []direct.WriterOptions{
			{},
			{BufferSize: 4096, WriteBehind: 10},
			{BufferSize: 4096, WriteBehind: 1},
			{BufferSize: 5000, WriteBehind: 3},
			{BufferSize: 64 << 10, WriteBehind: 5},
			{BufferSize: 600 << 10, WriteBehind: 2},
			{BufferSize: 64 << 10, Start: 100},
			{BufferSize: 64 << 10, Start: 4096},
			{BufferSize: 64 << 10, Start: 1 << 20},
		} {
			for _, n := range []int{0, 1, 4096, 4097, 100_000, 1 << 20, len(noise)} {
				f, err := direct.OpenOn(s, filepath.Join(dir, "file"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
				if err != nil {
					t.Fatal(err)
				}
				w := writer(t, f, o)
				if m, err := w.ReadFrom(onlyRead{bytes.NewReader(noise[:n/2])}); m != int64(n/2) || err != nil {
					t.Fatalf("%+v: ReadFrom = %d, %v; want %d", o, m, err, n/2)
				}
				if m, err := w.Write(noise[n/2 : n]); m != n-n/2 || err != nil {
					t.Fatalf("%+v: Write = %d, %v; want %d", o, m, err, n-n/2)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				want := noise[:n]
				if n > 0 {
					want = append(make([]byte, o.Start), want...)
				}
				if got, err := os.ReadFile(f.Name()); !bytes.Equal(got, want) || err != nil {
					t.Errorf("%+v: the file has %d bytes (%08x), %v; want %d (%08x)", o, len(got), testenv.Sum(got), err, len(want), testenv.Sum(want))
				}
				f.Close()
			}
		}
		if n := s.Stats().BuffersInUse; n != 0 {
			t.Errorf("%d bytes of buffers in use at the end", n)
		}
	})
}

// onlyRead hides all methods of a Reader but Read.
type onlyRead struct{ io.Reader }
