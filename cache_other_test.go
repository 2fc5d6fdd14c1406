//go:build !linux

package sluice_test

import "errors"

func dropCache(int) error { return errors.ErrUnsupported }
