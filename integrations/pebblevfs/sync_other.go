//go:build !linux

package pebblevfs

// pastCache reports whether reads and writes of fd go past the page cache. A direct.File uses it on these systems.
func pastCache(uintptr) bool { return false }

// hasSyncRange reports whether SyncTo of a file may be sync_file_range(2).
func hasSyncRange(uintptr) bool { return false }
