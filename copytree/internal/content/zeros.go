package content

import "bytes"

// zeroBlock is what is left out in one piece: the block of most file systems.
const zeroBlock = 4 << 10 // 4 KiB

var zeros [zeroBlock]byte

// writeRuns writes b at off, but for whole blocks of the file that are zeros.
// The file is longer than that in the end (finish), and has holes there.
func (j *job) writeRuns(b []byte, off int64) error {
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

// run returns how many bytes at the beginning of b, which is not empty and at off
// in the file, are of blocks that are all zeros, or all not.
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
