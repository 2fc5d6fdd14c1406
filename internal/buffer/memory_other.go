//go:build !linux

package buffer

// allocate gets n bytes from the Go heap.
func allocate(n int) (memory, error) { return heap(n), nil }

func (m memory) release() {}
