package scratch

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestCreate(t *testing.T) {
	const size = 3<<20 + 100
	dir := t.TempDir()
	f, err := Create(t.Context(), dir, size, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.Path()); err != nil || info.Size() != size {
		t.Errorf("file is %v, %v; want %d bytes", info, err, size)
	}
	if runtime.GOOS == "linux" {
		empty(t, dir) // even if the process dies
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close the file is there: %v", err)
	}
	empty(t, dir)
}

// TestNamed has a directory whose files cannot be opened without their names.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	f, err := newFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	file := &File{f: f, path: f.Name(), name: f.Name()}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	empty(t, dir)
}

func TestCreateRefusesWhatDoesNotFit(t *testing.T) {
	dir := t.TempDir()
	_, err := Create(t.Context(), dir, 1<<60, func(float64) {})
	if err == nil || !strings.Contains(err.Error(), "not enough space in "+dir) {
		t.Errorf("Create of an exbibyte = %v", err)
	}
	empty(t, dir)
}

// TestCheckSpaceNearTheLargestSize has sizes whose sum with the spare space overflows an int64.
func TestCheckSpaceNearTheLargestSize(t *testing.T) {
	for _, size := range []int64{1 << 60, math.MaxInt64 - spare, math.MaxInt64 - spare + 1, math.MaxInt64} {
		err := CheckSpace(t.TempDir(), size)
		if !errors.Is(err, ErrSpace) || strings.Contains(err.Error(), " -") {
			t.Errorf("CheckSpace(%d) = %v; want ErrSpace, with a size that is not negative", size, err)
		}
	}
}

func TestCreateNeedsADirectory(t *testing.T) {
	if _, err := Create(t.Context(), "/nowhere/at/all", 1, func(float64) {}); err == nil || strings.Count(err.Error(), "nowhere") != 1 {
		t.Errorf("Create = %v; want an error that names the directory once", err)
	}
}

func TestCreateLeavesNothingWhenItIsStopped(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	_, err := Create(ctx, dir, 100<<20, func(float64) { cancel(enough) })
	if !errors.Is(err, enough) {
		t.Errorf("Create = %v; want the cause of the end", err)
	}
	empty(t, dir)
}

func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}
