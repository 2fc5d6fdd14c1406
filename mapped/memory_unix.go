//go:build unix

package mapped

import (
	"math/bits"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
)

// pageShift returns the binary logarithm of the size of a page.
func pageShift() uint { return uint(bits.TrailingZeros(uint(os.Getpagesize()))) }

// mmap maps n bytes of a file, at an offset that is a multiple of the page size.
func mmap(fd int, off int64, n int) ([]byte, error) {
	b, err := unix.Mmap(fd, off, n, unix.PROT_READ, unix.MAP_SHARED)
	return b, os.NewSyscallError("mmap", err)
}

func munmap(b []byte) error { return os.NewSyscallError("munmap", unix.Munmap(b)) }

// madvices has the advice of madvise(2) for each sluice.Advice.
var madvices = [...]int{
	sluice.AdviceNormal:     unix.MADV_NORMAL,
	sluice.AdviceSequential: unix.MADV_SEQUENTIAL,
	sluice.AdviceRandom:     unix.MADV_RANDOM,
	sluice.AdviceWillNeed:   unix.MADV_WILLNEED,
	sluice.AdviceDontNeed:   unix.MADV_DONTNEED,
}

// madvise tells the system how the pages of b will be used. It ignores unknown advice:
// sluice.File.Advise returns the error.
func madvise(b []byte, a sluice.Advice) error {
	if int(a) >= len(madvices) || a == sluice.AdviceWillNeed { // it may wait for the device
		return nil
	}
	return os.NewSyscallError("madvise", unix.Madvise(b, madvices[a]))
}
