//go:build unix

package content

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// copyFile copies a file, reads the copy, and removes it.
func copyFile(t testing.TB, c *Copier, name string) ([]byte, Result, error) {
	t.Helper()
	to := name + ".copy"
	r, err := copyTo(t.Context(), t, c, to, name)
	got, err1 := os.ReadFile(to)
	if err1 != nil {
		t.Fatal(err1)
	}
	if err := os.Remove(to); err != nil {
		t.Error(err)
	}
	return got, r, err
}

func copyTo(ctx context.Context, t testing.TB, c *Copier, to, from string) (Result, error) {
	t.Helper()
	src, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	lazy := of(t, dst)
	lazy.Lazy = true
	return c.Copy(ctx, lazy, of(t, src))
}

func verifyError(at int64) string { return fmt.Sprintf("verify: %v at byte %d", fault.ErrVerify, at) }

// TestCopySizes copies files about as large as a buffer.
func TestCopySizes(t *testing.T) {
	s := testenv.Core(t)
	for _, cfg := range []Config{{}, {Scheduler: s}, {Scheduler: s, BlockSize: 512, Memory: 1}, {BlockSize: 4096, Verify: true}} {
		c := New(cfg)
		for _, size := range []int{0, 1, 511, 512, 513, smallBlock - 1, smallBlock, smallBlock + 1, defaultBlock, 3*defaultBlock + 7} {
			name := filepath.Join(t.TempDir(), "file")
			want := noise(uint64(size), size)
			if err := os.WriteFile(name, want, 0o600); err != nil {
				t.Fatal(err)
			}
			got, r, err := copyFile(t, c, name)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%+v: copy of %d bytes = %d bytes, %v", cfg, size, len(got), err)
			}
			if r.Bytes+r.Holes != int64(size) {
				t.Errorf("%+v: copy of %d bytes = %+v", cfg, size, r)
			}
		}
	}
}

// TestCopyUntrue copies files whose size is wrong.
func TestCopyUntrue(t *testing.T) {
	for _, name := range []string{"/proc/version", "/proc/self/limits", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/btf/vmlinux"} {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Log(err)
			continue
		}
		to := filepath.Join(t.TempDir(), "copy")
		r, err := copyTo(t.Context(), t, New(Config{Scheduler: testenv.Core(t)}), to, name)
		got, _ := os.ReadFile(to)
		if err != nil || !bytes.Equal(got, want) || r.Bytes != int64(len(want)) {
			t.Errorf("%s: %d bytes, %+v, %v; want %d", name, len(got), r, err, len(want))
		}
	}
}

// FuzzRun checks that the runs of a block cover it, that runs of zeros are zeros, and that no hole
// is missed.
func FuzzRun(f *testing.F) {
	f.Add([]byte("x"), uint16(0))
	f.Add(make([]byte, 3*zeroBlock), uint16(5))
	f.Fuzz(func(t *testing.T, seed []byte, off uint16) {
		b := make([]byte, 0, 16*len(seed))
		for _, x := range seed { // seed repeated until it has blocks of zeros
			b = append(b, bytes.Repeat([]byte{x & 1}, 1+int(x)*64)...)
		}
		for at := int64(off); len(b) > 0; {
			n, zero := run(b, at)
			if n <= 0 || n > len(b) {
				t.Fatalf("run of %d bytes at %d = %d", len(b), at, n)
			}
			if zero && len(bytes.Trim(b[:n], "\x00")) > 0 {
				t.Fatalf("run of %d bytes at %d: not zeros", n, at)
			}
			if n < len(b) && (at+int64(n))%zeroBlock != 0 {
				t.Fatalf("run of %d bytes at %d ends within a block", n, at)
			}
			b, at = b[n:], at+int64(n)
		}
	})
}
