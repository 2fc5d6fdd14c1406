package pebblevfs

import (
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// devices has the vfs.DeviceID of each known st_dev. Only Pebble can make a DeviceID.
var devices sync.Map

// deviceOf returns the device of an open file, also if it was renamed or removed.
func deviceOf(info os.FileInfo, name string, fd uintptr) (vfs.DeviceID, error) {
	dev := info.Sys().(*syscall.Stat_t).Dev
	if id, ok := devices.Load(dev); ok {
		return id.(vfs.DeviceID), nil
	}
	for _, path := range []string{name, fmt.Sprintf("/proc/self/fd/%d", fd)} {
		at, err := stock.Stat(path)
		if err == nil && at.Sys().(*syscall.Stat_t).Dev == dev {
			devices.Store(dev, at.DeviceID())
			return at.DeviceID(), nil
		}
	}
	return vfs.DeviceID{}, fmt.Errorf("pebblevfs: stat %s: the file was renamed or removed, and its device can only be found with /proc mounted", name)
}
