//go:build unix && !linux

package sys

import "os"

// MapGrows is false: the file has its full length from the beginning, without blocks. Systems
// differ in what a mapping does beyond the end of its file.
const MapGrows = false

func reserve(f *os.File, off, n int64) error { return zeros(f, off, n) }

func populate([]byte) {}
