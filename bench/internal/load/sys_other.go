//go:build !linux

package load

import (
	"errors"
	"os"
)

// openDirect is the open flag for O_DIRECT; 0 if there is none.
const openDirect = 0

var errNoDirect = errors.ErrUnsupported

// dropCache fails: it needs Linux.
func dropCache(*os.File, int64) (gone float64, err error) {
	return 0, &unsupportedError{"the page cache cannot be dropped on this system"}
}

// cachedBytes fails: it needs Linux.
func cachedBytes(*os.File, int64) (int64, error) { return 0, errors.ErrUnsupported }

// adviseHuge does nothing outside Linux.
func adviseHuge([]byte) {}
