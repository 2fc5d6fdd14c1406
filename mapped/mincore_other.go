//go:build !linux

package mapped

import "errors"

func mincore([]byte, *[pagesInWord]byte) error { return errors.ErrUnsupported }

func mayAsk(int) bool { return false }
