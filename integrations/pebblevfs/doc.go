// Package pebblevfs runs Pebble (github.com/cockroachdb/pebble/v2) on sluice. It is a vfs.FS whose
// files are files of a [sluice.Scheduler].
//
//	fs, err := pebblevfs.New(pebblevfs.Options{})
//	if err != nil {
//		return err
//	}
//	db, err := pebble.Open("db", &pebble.Options{FS: fs})
//
// Pebble only watches for a slow disk (EventListener.DiskSlow) on its default FS. For another FS
// call Options.WithFSDefaults, after FS and EventListener are set: with a nil EventListener Pebble
// panics when a disk is slow.
//
// Names, directories, locks and disk usage work as in vfs.Default. Either FS can open the other's
// database.
//
// # Modes
//
//	mode       past the page cache (O_DIRECT)
//	Buffered   nothing
//	Hybrid     sequential reads of tables; all writes of tables and blob files
//	Direct     all reads and writes of tables and blob files
//
// [Buffered] is the default. Uncached reads wait in the scheduler's queue. Under io_uring, queued
// reads hold no thread.
//
// With [Hybrid] a compaction does not evict the blocks that users read from the page cache. Reads
// of blob files stay in the page cache: Pebble does not say whether a compaction or a user reads
// them.
//
// With [Direct] the page cache holds no tables. Give its memory to Pebble's block cache
// (pebble.Options.CacheSize).
//
// The log and the manifest always go through the page cache. So does everything on a file system
// without O_DIRECT.
//
// # Classes
//
// With a class in Options.Background, flushes, compactions and sequential reads are operations of
// that class:
//
//	background, err := s.Class("pebble background", sluice.ClassOptions{Weight: 10})
//	…
//	fs, err := pebblevfs.New(pebblevfs.Options{
//		Mode: pebblevfs.Hybrid, Scheduler: s, Background: background,
//	})
//
// Pebble opens a table again after a user's scan has read 256 KiB of it, as it does for a
// compaction. The rest of the scan is then in the class, and past the page cache. These options
// keep scans out of both:
//
//	ahead := objstorageprovider.NewReadaheadConfig()
//	ahead.Set(objstorageprovider.FadviseSequential, objstorageprovider.SysReadahead)
//	o.Local.ReadaheadConfig = ahead // of pebble.Options
//
// Do not use them with Direct: the scan would then read block by block.
//
// # Differences from Pebble's own files
//
// SyncTo starts write-back and does not wait for earlier write-back. So Options.BytesPerSync
// spreads writes out, but does not slow down a writer that is faster than the disk. The system's
// limits of dirty pages do (vm.dirty_bytes).
//
// A direct Write of a table returns before its bytes are written. So a later Write, or the Sync,
// reports a full disk. vfs.OnDiskFull, which repeats a failed Write, cannot help: the flush or
// compaction fails, and Pebble repeats it.
//
// # Memory
//
// A table that is written, or read sequentially, past the page cache has a stream of up to 1 MiB
// from the Scheduler's pool (sluice.Options.BufferMemory). All FS of a process share at most 64
// streams, and fewer with a pool below 32 MiB. Further tables go through the page cache.
package pebblevfs
