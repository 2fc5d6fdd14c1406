//go:build !linux

package pebblevfs

// hasSyncRange reports whether SyncTo of a file may be sync_file_range(2).
func hasSyncRange(uintptr) bool { return false }
