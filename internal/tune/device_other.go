//go:build !linux

package tune

import (
	"errors"
	"fmt"
	"os"
)

// DeviceOf returns errors.ErrUnsupported: only Linux names the disk of a file.
func DeviceOf(*os.File) (Device, error) {
	return Device{}, fmt.Errorf("which disk a file is on: %w", errors.ErrUnsupported)
}

// DeviceAt returns errors.ErrUnsupported: only Linux names the disk of a device number.
func DeviceAt(uint64) (Device, error) {
	return Device{}, fmt.Errorf("which disk that is: %w", errors.ErrUnsupported)
}
