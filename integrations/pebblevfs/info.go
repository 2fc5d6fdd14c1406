package pebblevfs

import (
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fileInfo is a vfs.FileInfo.
type fileInfo struct {
	os.FileInfo
	device vfs.DeviceID
}

// DeviceID returns the device of the file.
func (i fileInfo) DeviceID() vfs.DeviceID { return i.device }

// withDevice adds the device to the info of an open file.
func withDevice(info os.FileInfo, name string, fd uintptr) (vfs.FileInfo, error) {
	device, err := deviceOf(info, name, fd)
	if err != nil {
		return nil, err
	}
	return fileInfo{info, device}, nil
}
