package sys

import "golang.org/x/sys/unix"

// Device returns the number of the device that a file is on, or the number of a block
// device itself. It does not ask the server of a network file system, for which the thread
// would have to wait.
func Device(fd int) (number uint64, ok bool) {
	var st unix.Statx_t
	err := unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_TYPE, &st)
	if err != nil {
		return deviceBefore(fd)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return unix.Mkdev(st.Rdev_major, st.Rdev_minor), true
	}
	return unix.Mkdev(st.Dev_major, st.Dev_minor), true
}

// deviceBefore is Device before Linux 4.11, and if a filter refuses statx(2).
func deviceBefore(fd int) (number uint64, ok bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return 0, false
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return uint64(st.Rdev), true //nolint:unconvert // 32 bits on mips
	}
	return uint64(st.Dev), true //nolint:unconvert // likewise
}
