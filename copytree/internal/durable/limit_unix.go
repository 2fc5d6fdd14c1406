//go:build unix

package durable

import "golang.org/x/sys/unix"

const (
	mostFiles  = 4096
	leastFiles = 64
)

// chunkSize is how many files are kept open until they are synced together: an
// eighth of the descriptors that the process may have, within limits, as there
// may be two chunks. A description and its inode take the kernel some 1.5 KiB.
func chunkSize() int {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &r) != nil {
		return leastFiles
	}
	return int(min(max(uint64(r.Cur)/8, leastFiles), mostFiles)) //nolint:unconvert // it is signed elsewhere
}
