//go:build !linux

package directio

import (
	"errors"
	"os"
)

// Reopen refuses: only Linux has O_DIRECT.
func Reopen(*os.File, int) (*os.File, Geometry, error) {
	return nil, Geometry{}, Refused{"this system has no O_DIRECT"}
}

// openCached is not called: no file is reopened.
func openCached(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }

// inodeOf is not called: no file is reopened.
func inodeOf(*os.File) (*inode, error) { return nil, errors.ErrUnsupported }
