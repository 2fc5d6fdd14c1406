package load

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openDirect is the open flag for O_DIRECT; 0 if there is none.
const openDirect = unix.O_DIRECT

// errNoDirect is the error of open(2) on a file system without O_DIRECT.
const errNoDirect = unix.EINVAL

// dropCache drops the file from the page cache. It returns the part that is gone, from 0 to 1. On
// kernels without cachestat(2) (before 6.5) it assumes 1.
func dropCache(f *os.File, size int64) (gone float64, err error) {
	// The kernel does not drop dirty pages, so they are written first.
	if err := f.Sync(); err != nil {
		return 0, os.NewSyscallError("fsync", err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return 0, os.NewSyscallError("fadvise", err)
	}
	cached, err := cachedBytes(f, size)
	if err != nil {
		return 1, nil
	}
	return 1 - float64(cached)/float64(max(size, 1)), nil
}

// cachedBytes returns how many of the first n bytes of f are in the page cache, in whole pages
// (cachestat(2)).
func cachedBytes(f *os.File, n int64) (int64, error) {
	const sysCachestat = 451 // the same number on every architecture
	var (
		span = [2]uint64{0, uint64(n)} // off and len; a len of 0 means the rest of the file
		stat struct{ cached, dirty, writeback, evicted, recentlyEvicted uint64 }
	)
	_, _, errno := unix.Syscall6(sysCachestat, f.Fd(),
		uintptr(unsafe.Pointer(&span)), uintptr(unsafe.Pointer(&stat)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int64(stat.cached) * int64(os.Getpagesize()), nil
}

// adviseHuge asks for huge pages. Without them the load works as well.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
