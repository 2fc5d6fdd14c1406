package sys

import (
	"errors"
	"os"
)

// MapCreate creates a file, which must not exist.
func MapCreate(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// MapNew returns errors.ErrUnsupported.
func MapNew(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

// MapGrow returns errors.ErrUnsupported.
func MapGrow(*os.File, []byte, int, int) error { return errors.ErrUnsupported }
