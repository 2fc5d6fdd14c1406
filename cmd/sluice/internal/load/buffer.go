package load

import "unsafe"

// bufferAlign satisfies O_DIRECT on every common device.
const bufferAlign = 4096

// alignedBuffer returns n bytes of the Go heap that start at a multiple of
// bufferAlign: what a program written for os.File would use, on both sides.
func alignedBuffer(n int) []byte {
	b := make([]byte, n+bufferAlign)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (bufferAlign - 1)
	return b[skip : skip+n : skip+n]
}
