//go:build !linux

package pebblevfs

// pastCache reports whether reads and writes of fd go past the page cache. On these systems a
// direct.File uses the page cache.
func pastCache(uintptr) bool { return false }

// hasSyncRange reports whether SyncTo of a file may be sync_file_range(2).
func hasSyncRange(uintptr) bool { return false }
