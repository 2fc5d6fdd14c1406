package engine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestSyncFileSystemElsewhere checks that nothing is copied without syncfs(2), and that nothing is
// reported as synced.
func TestSyncFileSystemElsewhere(t *testing.T) {
	defer func(has bool) { hasFileSystems = has }(hasFileSystems)
	hasFileSystems = false
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	if err := os.WriteFile(src, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Copy(t.Context(), nil, []option.Pair{{Dst: dst, Src: src}}, option.Options{Sync: option.SyncFileSystem})
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "Options.Sync") {
		t.Errorf("Copy = %v; want errors.ErrUnsupported for Options.Sync", err)
	}
	if _, err := os.Lstat(dst); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Lstat of the copy = %v; want os.ErrNotExist", err)
	}
}
