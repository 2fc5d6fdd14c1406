package floor

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/tree"
)

// restore undoes Copy's changes in the runtime.
func restore(t *testing.T) {
	t.Helper()
	procs := runtime.GOMAXPROCS(0)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(100)
	})
}

// source makes a tree with files that take several reads of 1000 bytes.
func source(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "source")
	if err := tree.Make(t.Context(), dir, tree.Shape{Levels: 4, Width: 3, FileSize: 3000}, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCopy(t *testing.T) {
	restore(t)
	src := source(t)
	want, err := tree.SumOf(src)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"one thread":   {Threads: 1, BlockSize: 256 << 10, Fsync: true},
		"two threads":  {Threads: 2, BlockSize: 256 << 10},
		"small blocks": {Threads: 3, BlockSize: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "copy")
			if err := Copy(dst, src, o); err != nil {
				t.Fatal(err)
			}
			got, err := tree.SumOf(dst)
			if how := want.Differs(got); err != nil || how != "" {
				t.Errorf("%s, %v", how, err)
			}
		})
	}
}

func TestCopyFails(t *testing.T) {
	restore(t)
	src := source(t)
	if err := Copy(t.TempDir(), src, Options{Threads: 2, BlockSize: 4096}); !errors.Is(err, os.ErrExist) {
		t.Errorf("Copy onto a directory = %v; want that it exists", err)
	}
	if err := os.Symlink("empty", filepath.Join(src, "dir1", "link")); err != nil {
		t.Fatal(err)
	}
	err := Copy(filepath.Join(t.TempDir(), "copy"), src, Options{Threads: 2, BlockSize: 4096})
	if !errors.Is(err, unix.ENOTSUP) {
		t.Errorf("Copy of a symbolic link = %v; want that it is not supported", err)
	}
}
