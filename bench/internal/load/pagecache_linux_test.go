package load

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestSetPageCache(t *testing.T) {
	f, err := os.Open(testFile(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const span = testSize / 2
	cached := func() int64 {
		n, err := cachedBytes(f, span)
		if err != nil {
			skip.For(t, skip.NoWait, "the kernel does not report what is cached: ", err)
		}
		return n
	}
	err = SetPageCache(f, Load{Kind: ScanCold, Size: 4096}, testSize)
	if _, ok := errors.AsType[*unsupportedError](err); ok {
		skip.For(t, skip.Disk, err)
	}
	if n := cached(); err != nil || n > span/10 {
		t.Errorf("cold: %v, %d bytes are cached", err, n)
	}
	err = SetPageCache(f, Load{Kind: ReadCached, Size: 4096, Within: span}, testSize)
	if n := cached(); err != nil || n != span {
		t.Errorf("cached: %v, %d bytes are; want %d", err, n, span)
	}
	if err := SetPageCache(f, Load{Kind: ReadDirect, Size: 4096}, testSize); err != nil || cached() != span {
		t.Errorf("direct: %v, and the page cache is not as it was", err)
	}
}

// TestColdNeedsADiskBelow has a file that exists only in the page cache.
func TestColdNeedsADiskBelow(t *testing.T) {
	var st unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &st); err != nil || st.Type != unix.TMPFS_MAGIC {
		skip.For(t, skip.Tmpfs, "/dev/shm is no tmpfs")
	}
	dir, err := os.MkdirTemp("/dev/shm", "sluice-")
	if err != nil {
		skip.For(t, skip.Tmpfs, err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := cachedBytes(f, 1); err != nil {
		skip.For(t, skip.NoWait, "the kernel does not report what is cached: ", err)
	}
	err = SetPageCache(f, Load{Kind: ReadCold, Size: 4096}, 1<<20)
	if _, ok := errors.AsType[*unsupportedError](err); !ok {
		t.Errorf("SetPageCache = %v; want that it is not supported", err)
	}
}
