//go:build !linux

package tune

import (
	"errors"
	"fmt"
	"os"
)

// DeviceOf returns the disk that f is on. Only Linux can say it; elsewhere the
// error is errors.ErrUnsupported.
func DeviceOf(*os.File) (Device, error) {
	return Device{}, fmt.Errorf("which disk a file is on: %w", errors.ErrUnsupported)
}

// DeviceAt returns the disk with that number, as in stat(2). Elsewhere than on
// Linux the error is errors.ErrUnsupported.
func DeviceAt(uint64) (Device, error) {
	return Device{}, fmt.Errorf("which disk that is: %w", errors.ErrUnsupported)
}
