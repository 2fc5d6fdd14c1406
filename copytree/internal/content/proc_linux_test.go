package content

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestCopyFromPages copies a file of /proc that refuses sizes other than multiples of 8.
func TestCopyFromPages(t *testing.T) {
	const name = "/proc/kpagecount"
	if f, err := os.Open(name); err != nil {
		skip.For(t, skip.Config, err)
	} else {
		f.Close()
	}
	for _, cfg := range []Config{{}, {BlockSize: 4 << 10}} {
		c := New(cfg)
		r, err := copyTo(t.Context(), t, c, filepath.Join(t.TempDir(), "copy"), name)
		if err != nil || r.Bytes == 0 || r.Bytes%8 != 0 {
			t.Errorf("%+v: copy of %s = %+v, %v; want a multiple of 8", cfg, name, r, err)
		}
		c.Close()
	}
}

// TestCopyInOrder copies into a file that write(2) can write and pwrite(2) cannot.
func TestCopyInOrder(t *testing.T) {
	const name = "/proc/self/comm"
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(name, old, 0)
	from := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(from, []byte("in order"), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	c := New(Config{})
	defer c.Close()
	r, err := c.Copy(t.Context(), of(t, dst), of(t, src))
	got, _ := os.ReadFile(name)
	if err != nil || r.Bytes != 8 || string(got) != "in order\n" {
		t.Errorf("Copy = %+v, %v, and %s is %q; want 8 bytes, and them", r, err, name, got)
	}
}
