package image

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestCreate makes an image of each kind, and checks that nothing is left of it.
func TestCreate(t *testing.T) {
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "images take root")
	}
	reasons := map[string]skip.Reason{"ext4": skip.Ext4, "xfs": skip.XFS, "btrfs": skip.Btrfs}
	for _, kind := range Kinds {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			i, err := Create(t.Context(), dir, kind, 0, func(float64) {})
			if _, ok := errors.AsType[*UnavailableError](err); ok {
				skip.For(t, reasons[kind], err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(i.Dir(), "file"), []byte("text"), 0o600); err != nil {
				t.Error(err)
			}
			if got := machine.Describe(i.Dir()).FileSystem; got != kind {
				t.Errorf("the file system is %s; want %s", got, kind)
			}
			if err := i.Close(); err != nil {
				t.Error(err)
			}
			gone(t, dir)
		})
	}
}

// gone checks that the directory is empty and not a mount point, and that no device uses a file in
// it.
func gone(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if mounts, err := os.ReadFile("/proc/self/mounts"); err != nil || bytes.Contains(mounts, []byte(dir)) {
		t.Errorf("something is mounted in %s, %v", dir, err)
	}
	devices, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, device := range devices {
		if text, _ := os.ReadFile(device); strings.Contains(string(text), dir) {
			t.Errorf("%s is still %s", device, text)
		}
	}
}

// TestBusy closes an image while a process is in it.
func TestBusy(t *testing.T) {
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "images take root")
	}
	dir := t.TempDir()
	i, err := Create(t.Context(), dir, "ext4", 0, func(float64) {})
	if err != nil {
		skip.For(t, skip.Ext4, err)
	}
	f, err := os.Create(filepath.Join(i.Dir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	if err := i.unmount(); err == nil || !strings.Contains(err.Error(), "cannot unmount") {
		t.Errorf("unmount with a file open = %v; want an error", err)
	}
	if err := errors.Join(f.Close(), i.Close()); err != nil {
		t.Error(err)
	}
	gone(t, dir)
}

func TestUnavailable(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	_, err := Create(t.Context(), dir, "ext4", 0, func(float64) {})
	if _, ok := errors.AsType[*UnavailableError](err); !ok {
		t.Errorf("Create without mkfs = %v; want an UnavailableError", err)
	}
	gone(t, dir)
}
