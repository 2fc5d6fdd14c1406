package direct_test

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDirectBeyondReserved reads over the end of a file behind which xfs has reserved room for
// later writes. A direct read of that room fails with EIO, and the kernel logs it. A random test
// has found the steps that leave room there.
func TestDirectBeyondReserved(t *testing.T) {
	dir := places.FileSystems["xfs on 4 KiB sectors"](t, 96<<20)
	testenv.EachDriverIn(t, dir, func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := loggedName(dir)
		since := kernelLog(t, name)
		f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b := testenv.AlignedBytes(1 << 20)
		write := func(n int, off int64) error {
			_, err := f.WriteAt(b[:n], off)
			return err
		}
		err = errors.Join(
			f.Truncate(16944),
			f.Allocate(21504, 113665),
			write(970049, 16943),
			f.PunchHole(1118208, 450939),
			write(546699, 986993),
			write(27089, 1533691),
		)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := f.ReadAt(b[:28673], 1560778); n != 2 || err != io.EOF {
			t.Errorf("ReadAt = %d, %v; want 2, EOF", n, err)
		}
		if b, err := f.ReadBuffer(t.Context(), 1560778, 28673); b.Len() != 2 || err != nil {
			t.Errorf("ReadBuffer = %d bytes, %v; want 2, nil", b.Len(), err)
		} else {
			b.Release()
		}
		for res, err := range f.ReadMany(t.Context(), slices.Values([]direct.Range{{Off: 1560778, Len: 28673}, {Off: 1600000, Len: 1000}}), direct.ReadManyOptions{}) {
			if want := max(0, 1560780-res.Off); int64(res.Buffer.Len()) != want || (err == io.EOF) != (want == 0) {
				t.Errorf("ReadMany of %v = %d bytes, %v; want %d", res.Range, res.Buffer.Len(), err, want)
			}
			res.Buffer.Release()
		}
		r := reader(t, f, direct.ReaderOptions{Start: 1560778})
		if got, err := io.ReadAll(r); len(got) != 2 || err != nil {
			t.Errorf("a Reader has %d bytes, %v; want 2", len(got), err)
		}
		if lines := since(); len(lines) > 0 {
			t.Errorf("the kernel has logged %d lines: %q …", len(lines), lines[0])
		}
	})
}
