package sys

import "unsafe"

// AddressOf returns the address of b's first byte, as a number. The garbage collector must not
// manage b: it may move or free it.
func AddressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
