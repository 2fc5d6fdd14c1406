//go:build !linux

package sluice

import (
	"errors"
	"os"
)

// reopenDirect refuses: only Linux has O_DIRECT.
func reopenDirect(*os.File, int) (*os.File, geometry, error) {
	return nil, geometry{}, refused{"this system has no O_DIRECT"}
}

func sizeOf(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func allocate(*os.File, int64, int64) error  { return errors.ErrUnsupported }
func punchHole(*os.File, int64, int64) error { return errors.ErrUnsupported }

func advise(*os.File, int64, int64, Advice) error { return errors.ErrUnsupported }
func setLifetime(*os.File, Lifetime) error        { return errors.ErrUnsupported }

// The rest is for direct I/O alone.

func inodeOf(*os.File) (*inode, error)        { return nil, errors.ErrUnsupported }
func writeBack(*os.File, int64, int64) error  { return errors.ErrUnsupported }
func flushPages(*os.File, int64, int64) error { return errors.ErrUnsupported }
