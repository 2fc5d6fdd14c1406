//go:build !linux

package handle

import "os"

// Size returns the size of a regular file.
func Size(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
