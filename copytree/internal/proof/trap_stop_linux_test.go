package proof_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// TestStoppedDirectories stops a copy in the middle of a tree. A later copy does not change the
// modes of existing directories, so they must be right.
func TestStoppedDirectories(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"tree", "tree/a", "tree/a/b", "tree/a/b/c"} {
		put(t, dir+"/1", "content")
		put(t, dir+"/2", "content")
		must(t, os.Chmod(dir, 0o755))
	}
	copied(t, "whole", "tree", option.Options{Preserve: option.PreserveOwner})
	whole, err := os.Stat("whole")
	must(t, err)
	for stop := range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		left := stop
		// The owner is set last. Until then nobody else may read the directory.
		_, err := copyOne(ctx, "copy", "tree", option.Options{Preserve: option.PreserveOwner, OnDone: func(report.Done) {
			if left--; left < 0 {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("Copy = %v; want that it was ended", err)
		}
		for _, dir := range []string{"copy", "copy/a", "copy/a/b", "copy/a/b/c"} {
			if info, err := os.Stat(dir); err == nil && info.Mode() != whole.Mode() {
				t.Errorf("stopped after %d: %s has mode %v; want %v", stop, dir, info.Mode(), whole.Mode())
			}
		}
		must(t, os.RemoveAll("copy"))
	}
}
