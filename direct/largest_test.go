package direct_test

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestLargestFile reads a file that ends at the largest offset. Only some file systems have such
// files. Package internal/test/offsets reads and writes their last bytes.
func TestLargestFile(t *testing.T) {
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := filepath.Join(dir, "largest")
		testenv.Write(t, name, testenv.Twenty)
		switch err := os.Truncate(name, math.MaxInt64); {
		case errors.Is(err, syscall.EFBIG), errors.Is(err, syscall.EINVAL):
			skip.For(t, skip.Case, "this file system has no files of that size: ", err)
		case err != nil:
			t.Fatal(err)
		}
		f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		const n = testenv.PageSize
		want := testenv.Twenty + string(make([]byte, n-len(testenv.Twenty)))
		read := func(what string, b []byte, err error) {
			if string(b) != want || err != nil {
				t.Errorf("%s: %s = %d bytes, %v; want the %d of the file", f.Explain(), what, len(b), err, n)
			}
		}
		readAt := func(what string, off int64) {
			b := testenv.AlignedBytes(n)
			m, err := f.ReadAt(b, off)
			read(what, b[:m], err)
		}
		readAt("ReadAt", 0)
		if err := f.Truncate(math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		b, err := f.ReadBuffer(t.Context(), 0, n)
		read("ReadBuffer after Truncate", b.Bytes(), err)
		b.Release()
		if err := f.Truncate(math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		for res, err := range f.ReadMany(t.Context(), slices.Values([]direct.Range{{Off: 0, Len: n}}), direct.ReadManyOptions{}) {
			read("ReadMany after Truncate", res.Buffer.Bytes(), err)
			res.Buffer.Release()
		}
		b, err = reader(t, f, direct.ReaderOptions{BufferSize: n}).Next()
		read("Next", b.Bytes(), err)
		b.Release()

		want = string(make([]byte, n))
		const last = (math.MaxInt64 - n) &^ (n - 1) // the last page whose end an offset can have
		readAt("ReadAt of the last page", last)
		b, err = f.ReadBuffer(t.Context(), last, n)
		read("ReadBuffer of the last page", b.Bytes(), err)
		b.Release()
		for res, err := range f.ReadMany(t.Context(), slices.Values([]direct.Range{{Off: last, Len: n}}), direct.ReadManyOptions{}) {
			read("ReadMany of the last page", res.Buffer.Bytes(), err)
			res.Buffer.Release()
		}
		for _, o := range []direct.ReaderOptions{{}, {BufferSize: n, ReadAhead: 1}, {BufferSize: n, ReadAhead: 4}} {
			o.Start = last - 10*n - 5
			got, err := io.ReadAll(reader(t, f, o))
			if len(got) != 12*n+4 || err != nil {
				t.Errorf("%s: a Reader of %+v has %d bytes, %v; want the %d up to the end", f.Explain(), o, len(got), err, 12*n+4)
			}
		}
	})
}
