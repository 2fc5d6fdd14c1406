package walk

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// The Kernel closes all descriptors that it has opened, also after an fsync. Off Linux the
// descriptors belong to os.Files, which would close them a second time when they are collected.
func TestSyncedFilesAreClosedByTheKernel(t *testing.T) {
	src := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		dir := filepath.Join(src, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Some calls that open fail, and leave nothing to close. They are the same for each Sync.
	left := func(sync option.Sync) int64 {
		var open atomic.Int64
		k := at.New()
		k.Fault = func(op string) error {
			switch op {
			case "open":
				open.Add(1)
			case "close":
				open.Add(-1)
			}
			return nil
		}
		dst := filepath.Join(t.TempDir(), "copy")
		if _, err := run(t, t.Context(), k, dst, src, option.Options{Sync: sync, Concurrency: 1}); err != nil {
			t.Fatal(err)
		}
		return open.Load()
	}
	if none, files := left(option.SyncNone), left(option.SyncFiles); files != none {
		t.Errorf("%d calls of open without a close with SyncFiles; want %d, as with SyncNone", files, none)
	}
}
