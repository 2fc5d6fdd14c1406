package sys

import (
	"errors"
	"os"
)

// MapNew is not to be had here.
func MapNew(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }
