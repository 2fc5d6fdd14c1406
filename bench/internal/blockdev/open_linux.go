package blockdev

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openExclusive opens a block device with O_EXCL. The kernel refuses if it is mounted or already
// open with O_EXCL.
func openExclusive(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_DIRECT|unix.O_EXCL, 0)
	switch {
	case errors.Is(err, unix.EBUSY):
		return nil, fmt.Errorf("%s is in use; nothing is overwritten", path)
	case err != nil:
		return nil, fmt.Errorf("cannot use the device: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Mode()&(os.ModeDevice|os.ModeCharDevice) != os.ModeDevice {
		err = fmt.Errorf("%s is no block device", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openDirect opens a file.
func openDirect(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|unix.O_DIRECT, 0)
	if errors.Is(err, unix.EINVAL) {
		return nil, errors.New("no O_DIRECT on this file system")
	}
	return f, err
}

// alignedBlock returns n bytes, at most a page, at an address that suits O_DIRECT.
func alignedBlock(n int) []byte {
	b := make([]byte, n+largestSector)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (largestSector - 1)
	return b[skip:][:n:n]
}
