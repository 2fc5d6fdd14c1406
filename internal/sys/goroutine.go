package sys

import "unsafe"

const golden = 0x9E3779B97F4A7C15 // 2^64 / the golden ratio

// StackHash returns a number that usually differs between goroutines that run at the same time. It
// is a hash of the address of the stack, and costs next to nothing. A goroutine's number changes
// when its stack moves, and with the depth of its calls.
func StackHash() uint32 {
	var here byte
	return hash(uintptr(unsafe.Pointer(&here)) >> 11)
}

// Goroutine returns a number of the calling goroutine, which does not change. Two goroutines that
// live at the same time share a number with a chance of 1 in 2^32. A number may be used again after
// its goroutine has ended. On processors other than amd64 and arm64 it is StackHash.
func Goroutine() uint32 {
	if g := running(); g != 0 {
		return hash(g >> 4)
	}
	return StackHash()
}

func hash(v uintptr) uint32 { return uint32(uint64(v) * golden >> 32) }

// Bytes returns the bytes of s without a copy. The caller must not write to them.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
