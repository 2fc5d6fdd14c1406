package sys

import (
	"fmt"
	"unsafe"
)

// View returns the memory of b as n values of type T, which has no pointers. It panics if b is
// too short, or not aligned for T.
func View[T any](b []byte, n int) []T {
	var t T
	if n < 0 || uintptr(len(b))/unsafe.Sizeof(t) < uintptr(n) || !Aligned(b, int(unsafe.Alignof(t))) {
		panic(fmt.Sprintf("sys: View of %d values in %d bytes", n, len(b)))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// BytesOf returns the memory of v as bytes. T has no pointers.
func BytesOf[T any](v []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), uintptr(len(v))*unsafe.Sizeof(t))
}
