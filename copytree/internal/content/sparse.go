package content

import "bytes"

// zeroBlock is the unit that becomes a hole: the block of most file systems.
const zeroBlock = 4 << 10 // 4 KiB

var zeros [zeroBlock]byte

// writeSparse writes b at off, except for blocks of zeros. They become holes, so the file gets its
// length first, as in copySegments.
func (j *job) writeSparse(b []byte, off int64) error {
	if n, zero := run(b, off); n == len(b) && !zero && int64(n) == j.src.Size {
		// b is the whole file and no hole follows. Files of tracefs keep a length that they are
		// given, and then refuse reads.
		return j.writeAll(b, off)
	}
	if end := off + int64(len(b)); j.length < end {
		if err := j.setLength(end); err != nil {
			return err
		}
	}
	for len(b) > 0 {
		n, zero := run(b, off)
		if !zero {
			if err := j.writeAll(b[:n], off); err != nil {
				return err
			}
		}
		b, off = b[n:], off+int64(n)
	}
	return nil
}

// run returns how many bytes at the beginning of b are blocks of zeros, or are other blocks. b must
// not be empty; off is its place in the file.
func run(b []byte, off int64) (n int, zero bool) {
	for n < len(b) {
		end := min(n+zeroBlock-int((off+int64(n))%zeroBlock), len(b))
		z := bytes.Equal(b[n:end], zeros[:end-n])
		if n == 0 {
			zero = z
		}
		if z != zero {
			break
		}
		n = end
	}
	return n, zero
}
