//go:build unix && !(linux && (amd64 || arm64)) && !darwin

package sys

import "golang.org/x/sys/unix"

// Fsync is fsync(2).
func Fsync(fd int) int32 { return result(0, unix.Fsync(fd)) }

// Fdatasync is fsync(2), which does more than necessary.
func Fdatasync(fd int) int32 { return Fsync(fd) }
