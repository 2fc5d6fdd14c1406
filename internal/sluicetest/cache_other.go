//go:build !linux

package sluicetest

import "errors"

func DropCache(int) error { return errors.ErrUnsupported }
