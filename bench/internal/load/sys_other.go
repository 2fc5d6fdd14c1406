//go:build !linux

package load

import (
	"errors"
	"os"
)

// openDirect is the open flag for O_DIRECT, 0 where there is none.
const openDirect = 0

var errNoDirect = errors.ErrUnsupported

// dropCache takes the file out of the page cache, which takes Linux.
func dropCache(*os.File, int64) (gone float64, err error) {
	return 0, &unsupportedError{"the page cache cannot be dropped on this system"}
}

// cachedBytes cannot be told.
func cachedBytes(*os.File, int64) (int64, error) { return 0, errors.ErrUnsupported }

// adviseHuge is left to the kernel outside Linux.
func adviseHuge([]byte) {}
