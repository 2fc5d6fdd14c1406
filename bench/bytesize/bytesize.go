// Package bytesize reads numbers of bytes as people type them.
package bytesize

import (
	"fmt"

	"github.com/sluiceio/sluice/internal/text"
)

// Size is a number of bytes in a flag: 4096, 64k, 512m, 1g. The units are powers of two, also as KB
// or KiB and so on.
type Size int64

// UnmarshalText parses a size.
func (s *Size) UnmarshalText(b []byte) error {
	n, ok := text.ParseBytes(string(b))
	if !ok {
		return fmt.Errorf("%q is not a size; want a number of bytes, as in 512m or 1g", b)
	}
	*s = Size(n)
	return nil
}
