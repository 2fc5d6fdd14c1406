// Package pebblevfs runs Pebble (github.com/cockroachdb/pebble/v2) on sluice. It is a vfs.FS whose
// files are files of a [sluice.Scheduler].
//
//	fs, err := pebblevfs.New(pebblevfs.Options{})
//	if err != nil {
//		return err
//	}
//	db, err := pebble.Open("db", &pebble.Options{FS: fs})
//
// Pebble reports a slow disk (EventListener.DiskSlow) only for its default FS. For another FS call
// Options.WithFSDefaults after you have set FS and EventListener. If EventListener is nil, Pebble
// panics when a disk is slow.
//
// Names, directories, locks and disk usage work as with vfs.Default. A database can be opened with
// this FS and with vfs.Default in turn.
//
// # Modes
//
//	mode       past the page cache (O_DIRECT)
//	Buffered   nothing
//	Hybrid     sequential reads of tables; all writes of tables and blob files
//	Direct     all reads and writes of tables and blob files
//
// [Buffered] is the default. With io_uring, a read that waits for the disk holds no thread.
//
// With [Hybrid] a compaction does not evict the blocks that users read from the page cache. Reads
// of blob files use the page cache, because Pebble does not say whether a compaction or a user
// reads.
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
// After a user's scan has read 256 KiB of a table, Pebble opens the table again as for a
// compaction. The rest of the scan is then in the class, and past the page cache. These options
// prevent it:
//
//	ahead := objstorageprovider.NewReadaheadConfig()
//	ahead.Set(objstorageprovider.FadviseSequential, objstorageprovider.SysReadahead)
//	o.Local.ReadaheadConfig = ahead // of pebble.Options
//
// Do not set these options with Direct: a scan would read block by block.
//
// # Differences from Pebble's own files
//
// SyncTo starts write-back, and does not wait for earlier write-back. So Options.BytesPerSync does
// not slow down a writer that is faster than the disk; only the kernel does (vm.dirty_bytes).
//
// A Write of a table past the page cache returns before its bytes are on the disk. A later Write,
// or the Sync, reports a full disk. vfs.OnDiskFull, which repeats a failed Write, has no effect
// there: the flush or compaction fails, and Pebble repeats it.
//
// # Memory
//
// A table that is written, or read sequentially, past the page cache takes up to 1 MiB of memory
// (sluice.Options.BufferMemory). A process has at most 64 such tables at a time, and fewer if
// BufferMemory is below 32 MiB. Further tables go through the page cache.
package pebblevfs
