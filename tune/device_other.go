//go:build !linux

package tune

import (
	"errors"
	"fmt"
	"os"
)

// DeviceOf returns the disk that f is on, which only Linux tells.
func DeviceOf(*os.File) (Device, error) {
	return Device{}, fmt.Errorf("which disk a file is on: %w", errors.ErrUnsupported)
}

// DeviceAt returns the disk of a number as stat(2) gives it, which only Linux tells.
func DeviceAt(uint64) (Device, error) {
	return Device{}, fmt.Errorf("which disk that is: %w", errors.ErrUnsupported)
}
