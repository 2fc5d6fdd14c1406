//go:build amd64 || arm64

package sys

// running returns where the runtime keeps the goroutine that calls it: a number
// that no other has while it lives. In running_GOARCH.s, as Go has no name for it;
// 0 where that file is left out.
func running() uintptr
