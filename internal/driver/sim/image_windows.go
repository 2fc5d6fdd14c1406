package sim

import (
	"errors"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// Files have no disk I/O on Windows, so there is no simulated disk.

const again = -int32(syscall.EAGAIN)

type inodeKey struct{ dev, ino uint64 }

func newImage() (*os.File, error) { return nil, errors.ErrUnsupported }

func openImage(*os.File, int) (fd int, err error)                            { return -1, errors.ErrUnsupported }
func closeImage(*os.File)                                                    {}
func openFiles() map[inodeKey]int                                            { return nil }
func keyOf(int) (k inodeKey, ok bool)                                        { return k, false }
func closeDescriptor(int) error                                              { return errors.ErrUnsupported }
func position(int, driver.Code, int64) int64                                 { return 0 }
func setPosition(int, int64)                                                 {}
func modeOf(int, driver.Code) (refused bool, syncs driver.Code, direct bool) { return }
