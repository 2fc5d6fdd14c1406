package buffer

import "unsafe"

// Kind is the kind of pages that memory consists of.
type Kind uint8

// The kinds of pages, the best first.
const (
	Hugetlb     Kind = iota // huge pages that the administrator has set aside
	Transparent             // huge pages that the kernel has made (THP)
	Plain                   // ordinary pages
	Heap                    // the Go heap, on systems other than Linux and with the race detector
	NumKinds                // the number of kinds
)

var kindNames = [NumKinds]string{"hugetlb", "transparent huge pages", "plain pages", "heap"}

// String returns the name of the kind in words.
func (k Kind) String() string {
	if k < NumKinds {
		return kindNames[k]
	}
	return "unknown"
}

// memory is the memory of a slab.
type memory struct {
	mem  []byte
	kind Kind
}

// heap returns memory of the Go heap, aligned to minBlock. The garbage collector frees it.
func heap(n int) memory {
	b := make([]byte, n+minBlock)
	skip := -uintptr(unsafe.Pointer(&b[0])) & (minBlock - 1)
	return memory{b[skip:][:n:n], Heap}
}
