package paths

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestReadOfHalfCached reads across the border between cached and uncached pages. The read must
// return everything, as read(2) does.
func TestReadOfHalfCached(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		const size = 1 << 20 // 1 MiB
		name := filepath.Join(t.TempDir(), "file")
		data := bytes.Repeat([]byte(testenv.Twenty), size/20)
		testenv.Write(t, name, string(data))
		f, err := s.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for range 5 {
			halfCached(t, f.OSFile(), len(data))
			f.Seek(0, 0)
			b := make([]byte, len(data))
			if n, err := f.Read(b); n != len(data) || err != nil || !bytes.Equal(b, data) {
				t.Errorf("Read = %d, %v; want %d, nil", n, err, len(data))
			}
			halfCached(t, f.OSFile(), len(data))
			if n, err := f.ReadAt(b[1:], 1); n != len(data)-1 || err != nil || !bytes.Equal(b, data) {
				t.Errorf("ReadAt = %d, %v; want %d, nil", n, err, len(data)-1)
			}
		}
	})
}

// halfCached leaves f's first pages in the cache, or skips the test.
func halfCached(t *testing.T, f *os.File, size int) {
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := testenv.DropCache(int(f.Fd())); err != nil {
		skip.For(t, skip.Disk, err)
	}
	unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM)
	if _, err := f.ReadAt(make([]byte, testenv.PageSize), 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.Preadv2(int(f.Fd()), [][]byte{make([]byte, size)}, 0, unix.RWF_NOWAIT)
	if err != nil || n == 0 || n == size {
		skip.Forf(t, skip.Chance, "the kernel caches %d of %d bytes here: %v", n, size, err)
	}
}
