package pebblevfs_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestScans checks that long scans are in the background's class, unless Pebble itself reads ahead.
func TestScans(t *testing.T) {
	eachMode(t, sluice.Options{}, func(t *testing.T, fs *pebblevfs.FS, _ *sluice.Scheduler, background *sluice.Class) {
		if isBuffered(t) {
			skip.For(t, skip.Case, "a scan of cached pages takes no place in the queue in either case")
		}
		dir := t.TempDir()
		w := &writer{r: seed.Rand(t)}
		w.db = openDB(t, dir, dbOptions(fs))
		w.fill(t)
		if err := w.db.Compact(t.Context(), key(0), key(keys), true); err != nil {
			t.Fatal(err)
		}
		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}
		for _, mode := range []objstorageprovider.ReadaheadMode{objstorageprovider.FadviseSequential, objstorageprovider.SysReadahead} {
			o := dbOptions(fs)
			o.DisableAutomaticCompactions = true
			ahead := objstorageprovider.NewReadaheadConfig()
			ahead.Set(objstorageprovider.FadviseSequential, mode)
			o.Local.ReadaheadConfig = ahead
			w.db = openDB(t, dir, o)
			before := background.Stats().Operations
			w.check(t, w.db)
			ops := background.Stats().Operations - before
			if own := mode == objstorageprovider.SysReadahead; own != (ops == 0) {
				t.Errorf("scans have made %d operations of the background; Pebble reads ahead by itself: %t", ops, own)
			}
			if err := w.db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
