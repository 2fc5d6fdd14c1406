//go:build !(linux && (amd64 || arm64))

package sys

// StartWriteback does nothing: only Linux has a call that starts write-back
// and does not wait for it.
func StartWriteback(int, int64, int64) int32 { return 0 }

// KeptByInode returns false: it is known for file systems of Linux only.
func KeptByInode(int) bool { return false }
