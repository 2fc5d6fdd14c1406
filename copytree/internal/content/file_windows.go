package content

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/sys"
)

// truncate sets the end of the file.
func truncate(fd int, size int64) error { return syscall.Ftruncate(syscall.Handle(fd), size) }

// size is the length of a file.
func size(fd int) (int64, error) {
	var info syscall.ByHandleFileInformation
	err := syscall.GetFileInformationByHandle(syscall.Handle(fd), &info)
	return int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow), err
}

// readNext reads what comes next in a source that has no offsets.
func (j *job) readNext(b []byte) (int, error) {
	n := sys.Read(j.src.FD, b)
	if n < 0 {
		return 0, &Error{"read", true, syscall.Errno(-n)}
	}
	return int(n), nil
}
