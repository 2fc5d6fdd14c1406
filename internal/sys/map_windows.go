package sys

import (
	"errors"
	"os"
)

// MapCreate creates a file, which must not exist.
func MapCreate(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// MapNew is not to be had here.
func MapNew(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

// MapGrow is not to be had here.
func MapGrow(*os.File, []byte, int, int) error { return errors.ErrUnsupported }
