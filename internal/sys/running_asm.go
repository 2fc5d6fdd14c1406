//go:build amd64 || arm64

package sys

// running returns the address of the runtime's g of the calling goroutine. No other goroutine has
// it while this one lives. It is in assembly, as Go code has no name for g. It returns 0 if the
// assembly is left out.
func running() uintptr
