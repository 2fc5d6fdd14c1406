package sluice

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// sizeOf returns the size of a regular file or block device.
func sizeOf(f *os.File) (int64, error) {
	fd := int(f.Fd())
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		// Nobody uses the position that this sets.
		return unix.Seek(fd, 0, unix.SEEK_END)
	}
	return st.Size, nil
}

// inodeOf returns the inode of an open file.
func inodeOf(f *os.File) (*inode, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return inodeKey{dev: st.Rdev, device: true}.inode(), nil
	}
	return inodeKey{dev: st.Dev, ino: st.Ino}.inode(), nil
}

// writeBack writes back the pages from off to end, waits for that and drops them.
func writeBack(f *os.File, off, end int64) error {
	err := flushPages(f, off, end-off)
	_ = unix.Fadvise(int(f.Fd()), off, end-off, unix.FADV_DONTNEED) // only advice
	return err
}

// flushPages writes back the pages of the n bytes at off, and waits for that; n 0 means
// up to the end of the file.
func flushPages(f *os.File, off, n int64) error {
	const writeAndWait = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	fd := int(f.Fd())
	err := again(func() error { return unix.SyncFileRange(fd, off, n, writeAndWait) })
	if isOneOf(err, unix.ENOSYS, unix.EPERM, unix.EINVAL, unix.ESPIPE) { // not available here
		err = again(func() error { return unix.Fdatasync(fd) })
	}
	return err
}

func allocate(f *os.File, off, n int64) error {
	return fallocate(f, unix.FALLOC_FL_KEEP_SIZE, off, n)
}

func punchHole(f *os.File, off, n int64) error {
	return fallocate(f, unix.FALLOC_FL_KEEP_SIZE|unix.FALLOC_FL_PUNCH_HOLE, off, n)
}

func fallocate(f *os.File, mode uint32, off, n int64) error {
	return again(func() error { return unix.Fallocate(int(f.Fd()), mode, off, n) })
}

// again repeats a call while a signal interrupts it.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func isOneOf(err error, errnos ...syscall.Errno) bool {
	e, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains(errnos, e)
}
