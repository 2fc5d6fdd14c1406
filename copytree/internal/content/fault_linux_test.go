package content

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestFault makes each call fail that ends a copy. The error must name the call and the file.
func TestFault(t *testing.T) {
	small, holes := filepath.Join(t.TempDir(), "small"), filepath.Join(t.TempDir(), "holes")
	if err := errors.Join(os.WriteFile(small, noise(1, 100), 0o600), os.WriteFile(holes, nil, 0o600), os.Truncate(holes, 1<<20)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		op, file string
		dest     bool
	}{
		{"read", small, false},
		{"write", small, true},
		{"ftruncate", holes, true},
	} {
		c := New(Config{Reflink: option.ReflinkNever, Fault: func(op string) error {
			if op == test.op {
				return unix.EIO
			}
			return nil
		}})
		_, err := copyTo(t.Context(), t, c, filepath.Join(t.TempDir(), "copy"), test.file)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Op != test.op || f.Dest != test.dest || f.Err != unix.EIO {
			t.Errorf("%s fails: %v; want EIO of it", test.op, err)
		}
		c.Close()
	}
}

// TestFound copies a small file that is cached, and one that is not.
func TestFound(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, noise(1, SmallFile), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	drop := func() {
		t.Helper()
		if err := uncache(int(f.Fd())); err != nil {
			t.Fatal(err)
		}
	}
	if drop(); sys.ReadCached(int(f.Fd()), make([]byte, 1), 0) != -int32(unix.EAGAIN) {
		skip.For(t, skip.Chance, "the file stays in memory")
	}
	c := New(Config{Reflink: option.ReflinkNever})
	defer c.Close()
	found := func() at.Cached {
		t.Helper()
		_, r, err := copyFile(t, c, name)
		if err != nil || r.Bytes != SmallFile {
			t.Errorf("Copy = %+v, %v; want %d bytes", r, err, SmallFile)
		}
		return r.Found
	}
	// A cached read that misses begins to read the file, and the kernel does not drop pages that
	// are being read. So the test tries until the file was dropped.
	hang.Watch(t)
	hang.Eventually(func() bool { drop(); return found() == at.CacheMiss })
	// A file that was read is found, unless the kernel has dropped it since.
	hang.Eventually(func() bool { return found() == at.CacheHit })
}
