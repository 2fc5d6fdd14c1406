//go:build !(linux && (amd64 || arm64))

package sys

// StartWriteback does nothing: only Linux has a call that starts write-back
// and does not wait for it.
func StartWriteback(int, int64, int64) int32 { return 0 }

// KeptByInode returns false: only of Linux's file systems it is known.
func KeptByInode(int) bool { return false }

// PassesCache returns false: only of Linux's file systems it is known.
func PassesCache(int) bool { return false }

// Reopen returns -1: only Linux says to whom it reports a failed write-back.
func Reopen(int) int { return -1 }
