package sys

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDescriptorName(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "a name")
	f, err := os.Create(want)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(f.Fd())
	if got := DescriptorName(fd); got != want {
		t.Errorf("DescriptorName = %q; want %q", got, want)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := DescriptorName(-1); got != "" {
		t.Errorf("DescriptorName of no descriptor = %q; want none", got)
	}
}
