package sluice_test

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
)

// TestDirectBeyondReserved reads over the end of a file behind which xfs has
// reserved room for writes to come, which the kernel fails with EIO. A random
// test has found the steps that leave room there.
func TestDirectBeyondReserved(t *testing.T) {
	dir := fileSystems["xfs on 4 KiB sectors"](t, 96<<20)
	eachDriverIn(t, dir, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f, err := s.CreateDirect(filepath.Join(dir, "file"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b := alignedBytes(1 << 20)
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
	})
}
