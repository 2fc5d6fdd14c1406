package handle

import (
	"errors"
	"io"
	"slices"
)

// ReadAll calls read until io.EOF and returns all bytes, as os.ReadFile. Size is a hint: the
// files of /proc have none, and others may change meanwhile.
func ReadAll(size int64, read func(b []byte) (int, error)) ([]byte, error) {
	// The files of /proc do not work right if read in small pieces: a file without a size
	// never is, at its end neither.
	const least = 512
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
