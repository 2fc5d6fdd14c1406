package sys

import "unsafe"

// Aligned tells whether b starts at a multiple of align, a power of two.
func Aligned(b []byte, align int) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))&uintptr(align-1) == 0
}

// AlignedBytes returns n bytes that start at a multiple of align, a power of
// two.
func AlignedBytes(n, align int) []byte {
	b := make([]byte, n+align-1)
	start := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & uintptr(align-1))
	return b[start:][:n:n]
}
