package buffer

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// allocate gets n bytes from the system. n is a multiple of slabSize.
func allocate(n int) (memory, error) {
	if sys.RaceEnabled {
		return heap(n), nil // the detector sees only the heap
	}
	return mmap(n)
}

// mmap maps n bytes, aligned to slabSize, on huge pages if there are any.
func mmap(n int) (memory, error) {
	if mem := hugetlb(n); mem != nil {
		return memory{mem, Hugetlb}, nil
	}
	mem, err := aligned(n)
	if err != nil {
		return memory{}, err
	}
	if transparent(mem) {
		return memory{mem, Transparent}, nil
	}
	return memory{mem, Plain}, nil
}

func (m memory) release() {
	if m.kind != Heap {
		unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(m.mem)), uintptr(len(m.mem)))
	}
}

const (
	readWrite = unix.PROT_READ | unix.PROT_WRITE
	anonymous = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
)

// hugetlb maps n bytes of hugetlb pages, or returns nil if there are not enough. The kernel
// populates them at once, and hugetlb checks them: a control group may allow fewer pages than the
// kernel has, and access to a missing one is a SIGBUS.
func hugetlb(n int) []byte {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), readWrite, anonymous|unix.MAP_HUGETLB|unix.MAP_HUGE_2MB|unix.MAP_POPULATE)
	if err != nil {
		return nil
	}
	mem := unsafe.Slice((*byte)(p), n)
	if !resident(mem) {
		unix.MunmapPtr(p, uintptr(n))
		return nil
	}
	return mem
}

// aligned maps n bytes at a multiple of slabSize.
func aligned(n int) ([]byte, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n+slabSize), readWrite, anonymous)
	if err != nil {
		return nil, err
	}
	before := -uintptr(p) & (slabSize - 1)
	if before > 0 {
		unix.MunmapPtr(p, before)
	}
	start := unsafe.Add(p, before)
	unix.MunmapPtr(unsafe.Add(start, n), slabSize-before)
	return unsafe.Slice((*byte)(start), n), nil
}

// transparent asks for transparent huge pages for mem, and reports whether all of mem has them. It
// writes one byte of each slab-sized part: the kernel may put a huge page there. If the kernel has
// only scattered free memory, transparent asks it to collapse the small pages into a huge one
// (Linux 6.1).
func transparent(mem []byte) bool {
	if unix.Madvise(mem, unix.MADV_HUGEPAGE) != nil {
		return false // a kernel without huge pages
	}
	for off := 0; off < len(mem); off += slabSize {
		page := mem[off : off+slabSize]
		page[0] = 0
		if !resident(page) && unix.Madvise(page, unix.MADV_COLLAPSE) != nil {
			return false
		}
	}
	return true
}

// resident reports whether all of mem has pages (mincore(2)). If only one byte was written, they
// are one huge page.
func resident(mem []byte) bool {
	var vec [slabSize / 4096]byte
	page := os.Getpagesize()
	for len(mem) > 0 {
		part := mem[:min(len(mem), slabSize)]
		n := len(part) / page
		_, _, e := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&part[0])), uintptr(len(part)), uintptr(unsafe.Pointer(&vec)))
		if e != 0 {
			return false
		}
		for _, v := range vec[:n] {
			if v&1 == 0 {
				return false
			}
		}
		mem = mem[len(part):]
	}
	return true
}
