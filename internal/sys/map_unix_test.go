//go:build unix

package sys

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestZeros covers file systems that cannot allocate blocks without writing them.
func TestZeros(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	const off, n = 4096, 3<<20 + 4096
	if err := zeros(f, off, n); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil || info.Size() != off+n {
		t.Errorf("the file has %d bytes, %v; want %d", info.Size(), err, off+n)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := os.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := zeros(r, 0, 1); !errors.Is(err, syscall.EBADF) {
		t.Errorf("where it cannot be written the error is %v; want EBADF", err)
	}
}
