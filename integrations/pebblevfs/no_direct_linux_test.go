package pebblevfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestNoDirect checks that a table on a file system without O_DIRECT is like any other file: its
// SyncTo and Prefetch do something.
func TestNoDirect(t *testing.T) {
	dir := testenv.MountFUSE(t, t.TempDir(), "refuses")
	eachMode(t, sluice.Options{}, func(t *testing.T, fs *pebblevfs.FS, _ *sluice.Scheduler, background *sluice.Class) {
		name := filepath.Join(dir, "1.sst")
		f := create(t, fs, name, "pebble-compaction")
		if _, err := f.Write([]byte("seven b")); err != nil {
			t.Fatal(err)
		}
		// On ext4 SyncTo is sync_file_range(2). On FUSE it syncs the whole file, and says so.
		if full, err := f.SyncTo(7); !full || err != nil {
			t.Errorf("SyncTo = %t, %v; want true, nil", full, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(name); string(text) != "seven b" || err != nil {
			t.Errorf("the file has %q, %v", text, err)
		}
		for _, o := range [][]vfs.OpenOption{nil, {vfs.RandomReadsOption}, {vfs.SequentialReadsOption}} {
			f, err := fs.Open(name, o...)
			if err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 7)
			if n, err := f.ReadAt(b, 0); n != 7 || err != nil || string(b) != "seven b" {
				t.Errorf("ReadAt = %d, %v: %q", n, err, b)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		if n := background.Stats().Operations; n == 0 {
			t.Error("the table was not written in the background's class")
		}
	})
}
