//go:build unix

package durable

import "golang.org/x/sys/unix"

const (
	maxChunk = 4096
	minChunk = 64
)

// chunkSize returns how many files stay open until they are synced together. It is an eighth of the
// process's descriptors, within limits, because there may be two chunks. A file description and its
// inode take about 1.5 KiB of kernel memory.
func chunkSize() int {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &r) != nil {
		return minChunk
	}
	return int(min(max(uint64(r.Cur)/8, minChunk), maxChunk)) //nolint:unconvert // it is signed elsewhere
}
