// Package bytesize reads numbers of bytes as people type them.
package bytesize

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes as a flag has it: 4096, 64k, 512m, 1g. The units are powers of two,
// and may be written KB or KiB and so on.
type Size int64

// units has the power of two of each unit.
var units = map[string]int{
	"": 0, "b": 0,
	"k": 10, "kb": 10, "kib": 10,
	"m": 20, "mb": 20, "mib": 20,
	"g": 30, "gb": 30, "gib": 30,
	"t": 40, "tb": 40, "tib": 40,
}

// UnmarshalText parses a size.
func (s *Size) UnmarshalText(text []byte) error {
	digits, unit := strings.ToLower(string(text)), ""
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits, unit = digits[:i], digits[i:]
	}
	shift, known := units[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n<<shift>>shift != n {
		return fmt.Errorf("%q is not a size; want a number of bytes, as in 512m or 1g", text)
	}
	*s = Size(n << shift)
	return nil
}
