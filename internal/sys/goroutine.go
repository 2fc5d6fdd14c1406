package sys

import "unsafe"

// GoroutineHash returns a number that differs, more often than not, between
// goroutines that run at once: a hash of the address of the stack, which
// costs next to nothing. A goroutine's own changes when its stack moves.
func GoroutineHash() uint32 {
	var here byte
	const golden = 0x9E3779B97F4A7C15 // 2^64 / the golden ratio
	return uint32(uint64(uintptr(unsafe.Pointer(&here))>>11) * golden >> 32)
}

// Bytes returns the bytes of s, which nobody may write, without a copy.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
