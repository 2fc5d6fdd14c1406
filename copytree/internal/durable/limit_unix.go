//go:build unix

package durable

import "golang.org/x/sys/unix"

const (
	maxChunk = 4096
	minChunk = 64
)

// chunkSize returns how many files stay open until they are synced together: an eighth
// of the descriptors that the process may have, within limits, as there may be two
// chunks. A file description and its inode take about 1.5 KiB of the kernel's memory.
func chunkSize() int {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &r) != nil {
		return minChunk
	}
	return int(min(max(uint64(r.Cur)/8, minChunk), maxChunk)) //nolint:unconvert // it is signed elsewhere
}
