//go:build !linux

package testenv

import "errors"

func DropCache(int) error { return errors.ErrUnsupported }
