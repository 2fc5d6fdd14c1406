package pebblevfs_test

import (
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
)

// A database whose compactions leave the page cache, and most of the disk, to the users' reads.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	s, err := sluice.Default()
	if err != nil {
		panic(err)
	}
	background, err := s.Class("pebble background", sluice.ClassOptions{Weight: 10})
	if err != nil {
		panic(err)
	}
	fs, err := pebblevfs.New(pebblevfs.Options{Mode: pebblevfs.Hybrid, Scheduler: s, Background: background})
	if err != nil {
		panic(err)
	}
	o := &pebble.Options{FS: fs, EventListener: &pebble.EventListener{}}
	o.WithFSDefaults() // Pebble watches for a slow disk
	// Long scans of users stay out of the class, and in the page cache.
	ahead := objstorageprovider.NewReadaheadConfig()
	ahead.Set(objstorageprovider.FadviseSequential, objstorageprovider.SysReadahead)
	o.Local.ReadaheadConfig = ahead

	db, err := pebble.Open(dir, o)
	if err != nil {
		panic(err)
	}
	if err := db.Set([]byte("key"), []byte("value"), pebble.Sync); err != nil {
		panic(err)
	}
	if err := db.Flush(); err != nil {
		panic(err)
	}
	value, closer, err := db.Get([]byte("key"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s; in the background: %t\n", value, background.Stats().Operations > 0)
	if err := closer.Close(); err != nil {
		panic(err)
	}
	if err := db.Close(); err != nil {
		panic(err)
	}
	// Output: value; in the background: true
}
