//go:build !linux

package pebblevfs

import (
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// deviceOf returns the device of an open file. If the file was renamed or removed, it returns the
// directory's device.
func deviceOf(_ os.FileInfo, name string, _ uintptr) (vfs.DeviceID, error) {
	at, err := stock.Stat(name)
	if err != nil {
		at, err = stock.Stat(filepath.Dir(name))
	}
	if err != nil {
		return vfs.DeviceID{}, err
	}
	return at.DeviceID(), nil
}
