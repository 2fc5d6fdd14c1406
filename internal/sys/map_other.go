//go:build unix && !linux

package sys

import "os"

// MapGrows says that it may not: a file is as long as its memory from the beginning, as
// not every system says what is beyond its end. It has no blocks there.
const MapGrows = false

func reserve(f *os.File, off, n int64) error { return zeros(f, off, n) }

func populate([]byte) {}
