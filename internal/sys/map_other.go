//go:build unix && !linux

package sys

import "os"

func reserve(f *os.File, n int64) error { return zeros(f, n) }

func populate([]byte) {}
