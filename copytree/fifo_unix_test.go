//go:build unix

package copytree_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree"
)

// TestFIFO copies a FIFO on each Unix system.
func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	if err := os.Mkdir(src, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(src, "fifo"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := copytree.Copy(t.Context(), dst, src, copytree.Options{Preserve: copytree.PreserveMode}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(filepath.Join(dst, "fifo"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := info.Mode(), os.ModeNamedPipe|0o640; got != want {
		t.Errorf("the copy has mode %v; want %v", got, want)
	}
}
