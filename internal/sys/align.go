package sys

import "unsafe"

// Aligned reports whether b starts at a multiple of align, which is a power of two.
func Aligned(b []byte, align int) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))&uintptr(align-1) == 0
}
