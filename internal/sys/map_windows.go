package sys

import (
	"errors"
	"os"
)

// MapNew is not to be had here.
func MapNew(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

// MapGrow is not to be had here.
func MapGrow(*os.File, []byte, int, int) error { return errors.ErrUnsupported }
