package sys

import (
	"fmt"
	"unsafe"
)

// View returns the first n Ts of b's memory. T has no pointers. It panics if
// they do not fit, or b is not aligned for them.
func View[T any](b []byte, n int) []T {
	var t T
	if n < 0 || uintptr(len(b))/unsafe.Sizeof(t) < uintptr(n) || !Aligned(b, int(unsafe.Alignof(t))) {
		panic(fmt.Sprintf("sys: View of %d values in %d bytes", n, len(b)))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// BytesOf returns the bytes that v consists of. T has no pointers.
func BytesOf[T any](v []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), uintptr(len(v))*unsafe.Sizeof(t))
}
