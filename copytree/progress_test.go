package copytree_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/copytree"
)

// TestProgressOfTwo checks that a Progress adds up several copies, and that a Result has one.
func TestProgressOfTwo(t *testing.T) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	if err := os.WriteFile(src, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	var progress copytree.Progress
	var synced int64
	for range 3 {
		r, err := copytree.Copy(t.Context(), dst, src, copytree.Options{Sync: copytree.SyncFiles, Progress: &progress})
		if err != nil {
			t.Fatal(err)
		}
		if synced == 0 {
			synced = r.Synced
		}
		if r.Files != 1 || r.Synced != synced {
			t.Errorf("Files, Synced = %d, %d; want 1, %d as the first time", r.Files, r.Synced, synced)
		}
	}
	if n := progress.State().Synced; synced == 0 || n != 3*synced {
		t.Errorf("State.Synced = %d; want 3 times %d", n, synced)
	}
}
