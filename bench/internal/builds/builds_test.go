package builds

import (
	"errors"
	"os"
	"testing"
)

// TestNoToolchain checks that the error names the missing part, and that nothing is left.
func TestNoToolchain(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	if _, err := Make(t.Context(), dir, "sluice", "sluice"); !errors.Is(err, errNoGo) {
		t.Errorf("Make = %v; want %v", err, errNoGo)
	}
	wantEmpty(t, dir)
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		t.Errorf("%s is left", e.Name())
	}
}
