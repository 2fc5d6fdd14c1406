package direct_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDirectNoSpace writes until the disk is full. Exactly the counted bytes are there, and the
// file can be written to again when there is room.
func TestDirectNoSpace(t *testing.T) {
	for name, make := range places.FileSystems {
		t.Run(name, func(t *testing.T) {
			dir := make(t, 24<<20) // 24 MiB, or the file system's least
			var st unix.Statfs_t
			if err := unix.Statfs(dir, &st); err != nil || st.Blocks > 1<<30/uint64(st.Bsize) {
				skip.For(t, skip.Case, "it is not our disk to fill")
			}
			testenv.EachDriverIn(t, dir, noSpace)
		})
	}
}

func noSpace(t *testing.T, s *sluice.Scheduler, dir string) {
	all := places.Free(t, dir)
	// freed waits until half of what used does not take is free: FUSE frees a file's space some
	// time after the call that removes it.
	freed := func(used int64) { hang.Eventually(func() bool { return places.Free(t, dir) >= (all-used)/2 }) }
	for i, of := range []struct{ n, start int }{{1 << 20, 0}, {3<<20 + 5, 1}, {9999, 0}} {
		name := filepath.Join(dir, "full")
		f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		places.Fill(t, filepath.Join(dir, "filler"), 8<<20) // all but 8 MiB
		b := testenv.AlignedBytes(of.n + testenv.PageSize)[of.start:][:of.n]
		size := int64(0)
		for err == nil && size < 1<<30 {
			for i := range b {
				b[i] = testenv.Pattern(size + int64(i))
			}
			var n int
			n, err = f.WriteAt(b, size)
			size += int64(n)
			if (n < len(b)) != (err != nil) {
				t.Fatalf("WriteAt = %d of %d, %v", n, len(b), err)
			}
		}
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("WriteAt %d at the end: %v; want ENOSPC", i, err)
		}
		testenv.HasPattern(t, name, size, int64(of.n))
		if err := f.Sync(); err != nil {
			t.Errorf("Sync after ENOSPC: %v", err)
		}
		os.Remove(filepath.Join(dir, "filler"))
		places.SyncFS(t, dir)
		freed(size)
		for i := range b {
			b[i] = testenv.Pattern(size + int64(i))
		}
		if n, err := f.WriteAt(b, size); n != len(b) || err != nil {
			t.Errorf("WriteAt with room again = %d, %v", n, err)
		}
		testenv.HasPattern(t, name, size+int64(len(b)), 0)
		if err := errors.Join(f.Sync(), f.Close(), os.Remove(name)); err != nil {
			t.Error(err)
		}
		places.SyncFS(t, dir)
		freed(0)
	}
}
