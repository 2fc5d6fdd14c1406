//go:build !linux

package tree

import (
	"errors"
	"os"
)

func evict(*os.File) error { return errors.ErrUnsupported }
