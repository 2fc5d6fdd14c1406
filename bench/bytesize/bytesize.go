// Package bytesize reads numbers of bytes as people type them.
package bytesize

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes as a flag has it: 4096, 64k, 512m, 1g. The units are powers of two,
// and may be written KiB, MiB and GiB.
type Size int64

// UnmarshalText parses a size.
func (s *Size) UnmarshalText(text []byte) error {
	digits := strings.ToLower(string(text))
	for _, tail := range []string{"ib", "b"} {
		digits = strings.TrimSuffix(digits, tail)
	}
	shift := 0
	for unit, bits := range map[string]int{"k": 10, "m": 20, "g": 30, "t": 40} {
		if rest, ok := strings.CutSuffix(digits, unit); ok {
			digits, shift = rest, bits
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n<<shift>>shift != n {
		return fmt.Errorf("%q is not a size; want a number of bytes, as in 512m or 1g", text)
	}
	*s = Size(n << shift)
	return nil
}
