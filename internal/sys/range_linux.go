package sys

import "golang.org/x/sys/unix"

// Allocate reserves disk space for the n bytes at off of fd, and does not change the file's
// size (fallocate(2)).
func Allocate(fd int, off, n int64) error {
	return fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, off, n)
}

// PunchHole makes the n bytes at off of fd zeros, and frees their disk space.
func PunchHole(fd int, off, n int64) error {
	return fallocate(fd, unix.FALLOC_FL_KEEP_SIZE|unix.FALLOC_FL_PUNCH_HOLE, off, n)
}

func fallocate(fd int, mode uint32, off, n int64) error {
	return IgnoringEINTR(func() error { return unix.Fallocate(fd, mode, off, n) })
}

// advices has the values of posix_fadvise(2), by Advise's argument.
var advices = [...]int{unix.FADV_NORMAL, unix.FADV_SEQUENTIAL, unix.FADV_RANDOM, unix.FADV_WILLNEED, unix.FADV_DONTNEED}

// Advise tells the kernel how the n bytes at off of fd will be used; n 0 means up to the end.
// advice is 0 to 4: normal, sequential, random, will need, do not need.
func Advise(fd int, off, n int64, advice uint8) error {
	return IgnoringEINTR(func() error { return unix.Fadvise(fd, off, n, advices[advice]) })
}

// FlushPages writes back the pages of the n bytes at off of fd, and waits for that; n 0 means up to
// the end.
func FlushPages(fd int, off, n int64) error {
	const writeAndWait = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	err := IgnoringEINTR(func() error { return unix.SyncFileRange(fd, off, n, writeAndWait) })
	// These errors say that the system call is not available.
	if IsErrno(err, unix.ENOSYS, unix.EPERM, unix.EINVAL, unix.ESPIPE) {
		err = IgnoringEINTR(func() error { return unix.Fdatasync(fd) })
	}
	return err
}

// DropPages writes back the pages of the n bytes at off of fd, waits for that and drops
// them from the page cache.
func DropPages(fd int, off, n int64) error {
	err := FlushPages(fd, off, n)
	_ = unix.Fadvise(fd, off, n, unix.FADV_DONTNEED) // an error does no harm: this is only advice
	return err
}
