//go:build !(linux || darwin || freebsd)

package scratch

import "errors"

// FreeSpace fails: it is unknown here.
func FreeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
