//go:build !linux

package buffer

// allocate gets n bytes from the Go heap.
func allocate(n int) (memory, error) { return heap(n), nil }

func (m memory) release() {}

// machineMemory is not known here.
func machineMemory() int64 { return 0 }
