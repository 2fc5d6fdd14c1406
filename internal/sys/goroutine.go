package sys

import "unsafe"

const golden = 0x9E3779B97F4A7C15 // 2^64 / the golden ratio

// StackHash returns a number that differs, more often than not, between
// goroutines that run at once: a hash of the address of the stack, which costs
// next to nothing. A goroutine's own changes when its stack moves, and with the
// depth of the call.
func StackHash() uint32 {
	var here byte
	return hash(uintptr(unsafe.Pointer(&here)) >> 11)
}

// Goroutine returns a number that is the goroutine's as long as it lives, and but
// for a chance of 1 to 2^32 no other's; one that begins when it has ended may have
// it again. On what is neither amd64 nor arm64 it is StackHash's.
func Goroutine() uint32 {
	if g := running(); g != 0 {
		return hash(g >> 4)
	}
	return StackHash()
}

func hash(v uintptr) uint32 { return uint32(uint64(v) * golden >> 32) }

// Bytes returns the bytes of s, which nobody may write, without a copy.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
