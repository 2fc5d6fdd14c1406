package handle

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"syscall"

	"github.com/sluiceio/sluice/internal/sys"
)

// ReadAll calls read until io.EOF and returns all bytes, as os.ReadFile. size is a hint: files of
// /proc have none, and other files may change. A file that cannot fit into memory, such as a sparse
// one, is an error: the Go runtime would end the program.
func ReadAll(size int64, read func(b []byte) (int, error)) ([]byte, error) {
	// Some files of /proc fail if read in small pieces. A file without a size is never read so, not
	// even at its end.
	const least = 512
	if err := fits(size); err != nil {
		return nil, err
	}
	if size < 0 || int64(int(size)) != size {
		size = 0
	}
	// One byte more, so that the end is seen without growing.
	b := make([]byte, 0, max(int(size)+1, least))
	for {
		n, err := read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		if room := cap(b) - len(b); room == 0 || size == 0 && room < least {
			b = slices.Grow(b, least)
		}
	}
}

// fits returns an error if a file of that size cannot fit into the machine's memory.
func fits(size int64) error {
	if size <= 1<<30 { // below 1 GiB the memory need not be asked for
		return nil
	}
	most := sys.MemoryAndSwap()
	if most == 0 {
		most = 1 << 46 // 64 TiB: less than the address space has
	}
	if most = min(most, math.MaxInt); size > most { // MaxInt: 32-bit systems
		return fmt.Errorf("the file has %d bytes, more than the %d of the memory: %w", size, most, syscall.ENOMEM)
	}
	return nil
}
