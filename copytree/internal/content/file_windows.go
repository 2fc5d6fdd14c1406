package content

import "syscall"

// truncate sets the length of a file.
func truncate(fd int, size int64) error { return syscall.Ftruncate(syscall.Handle(fd), size) }

// size returns the length of a file.
func size(fd int) (int64, error) {
	var info syscall.ByHandleFileInformation
	err := syscall.GetFileInformationByHandle(syscall.Handle(fd), &info)
	return int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow), err
}
