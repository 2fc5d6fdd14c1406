package sys

import "unsafe"

// AddressOf returns the address of b's first byte. It is a number, which keeps nothing from being
// moved or freed: b must be memory that the garbage collector does not manage.
func AddressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
