//go:build !(linux && (amd64 || arm64))

package sys

// These functions use the first buffer only. The caller continues with the remaining buffers. The
// first buffer is never empty.

// PreadVec is Pread into first.
func PreadVec(fd int, first []byte, _ [][]byte, off int64) int32 { return Pread(fd, first, off) }

// ReadCachedVec is ReadCached into first.
func ReadCachedVec(fd int, first []byte, _ [][]byte, off int64) int32 {
	return ReadCached(fd, first, off)
}

// PwriteVec is Pwrite of first.
func PwriteVec(fd int, first []byte, _ [][]byte, off int64) int32 { return Pwrite(fd, first, off) }
