// Package pebblevfs runs Pebble (github.com/cockroachdb/pebble/v2) on sluice: it is a vfs.FS whose
// files are files of a [sluice.Scheduler].
//
//	fs, err := pebblevfs.New(pebblevfs.Options{})
//	if err != nil {
//		return err
//	}
//	db, err := pebble.Open("db", &pebble.Options{FS: fs})
//
// Pebble watches for a slow disk (EventListener.DiskSlow) by itself only if it has chosen the FS. With another one
// Options.WithFSDefaults does that. Call it after FS and EventListener are set: with a nil EventListener
// Pebble panics when a disk is slow.
//
// Names, directories, locks and disk usage are those of vfs.Default. A database that was written
// with either can be opened with the other.
//
// # Modes
//
// [Buffered] is the default: all files go through the page cache. A goroutine that reads what the
// cache does not have waits in the scheduler's queue. With many of them no thread waits, under io_uring.
//
// In [Hybrid], what Pebble reads from front to back and what flushes and compactions write goes
// past the page cache. So a compaction does not push out the blocks that users read. These read
// through the cache as before. (Of a blob file Pebble does not say whether a compaction reads it or
// a user: Hybrid reads it through the cache.)
//
// In [Direct], users read tables past the page cache, too. Give Pebble's block cache the memory
// then (pebble.Options.CacheSize): nothing else keeps a block.
//
// In both, only tables and blob files go past the cache; the log and the manifest do not. Where a
// file system has no O_DIRECT, everything goes through the page cache.
//
// # Classes
//
// With a class in Options.Background, flushes, compactions and everything that Pebble reads
// from front to back are operations of that class:
//
//	background, err := s.Class("pebble background", sluice.ClassOptions{Weight: 10})
//	…
//	fs, err := pebblevfs.New(pebblevfs.Options{Mode: pebblevfs.Hybrid, Scheduler: s, Background: background})
//
// A user's scan that has read 256 KiB of a table opens it once more, as a compaction does. It
// is in the class, and past the page cache, from there on. This keeps scans out of both:
//
//	ahead := objstorageprovider.NewReadaheadConfig()
//	ahead.Set(objstorageprovider.FadviseSequential, objstorageprovider.SysReadahead)
//	o.Local.ReadaheadConfig = ahead // of pebble.Options
//
// Not with Direct: there, such a scan would read each block by itself.
//
// # What differs from Pebble's own files
//
// SyncTo starts write-back and does not wait for the one before. So Options.BytesPerSync spreads writes out, and does not
// hold back a writer that is quicker than the disk: the system's limits of dirty pages do (vm.dirty_bytes).
//
// A table that is written past the page cache is written behind the writer. So a full disk is found by a later Write, or
// by the Sync, and vfs.OnDiskFull, which makes a failed Write again, cannot help there: the flush or the compaction fails, and
// Pebble makes it again.
//
// # Memory
//
// A table that is written, or read from front to back, past the page cache has a stream of up to
// 1 MiB from the Scheduler's pool (sluice.Options.BufferMemory). All FS of a process share at most 64
// streams, and fewer with a pool of less than 32 MiB. Tables beyond that go through the page cache.
package pebblevfs
