//go:build !(linux || darwin || freebsd)

package scratch

import "errors"

// FreeSpace is not known here.
func FreeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
