package sys

import "unsafe"

// Inside reports whether all of b, which is not empty, lies in mem.
func Inside(b, mem []byte) bool {
	if len(b) > len(mem) {
		return false
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return from <= uintptr(len(mem)-len(b)) // if b starts before mem, from has wrapped around
}
