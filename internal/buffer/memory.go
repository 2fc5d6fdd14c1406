package buffer

import "unsafe"

// Kind tells what pages memory is made of.
type Kind uint8

// The kinds of pages, the best first.
const (
	Hugetlb     Kind = iota // from the huge pages set aside by the administrator
	Transparent             // huge pages that the kernel made (THP)
	Plain                   // ordinary pages
	Heap                    // the Go heap, where nothing else is implemented or wanted
	NumKinds                // how many there are
)

var kindNames = [NumKinds]string{"hugetlb", "transparent huge pages", "plain pages", "heap"}

// String names the kind in words.
func (k Kind) String() string {
	if k < NumKinds {
		return kindNames[k]
	}
	return "unknown"
}

// memory is what a slab is made of.
type memory struct {
	mem  []byte
	kind Kind
}

// heap takes memory from the Go heap, aligned to minBlock. The garbage
// collector gives it back.
func heap(n int) memory {
	b := make([]byte, n+minBlock)
	skip := -uintptr(unsafe.Pointer(&b[0])) & (minBlock - 1)
	return memory{b[skip:][:n:n], Heap}
}
