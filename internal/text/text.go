// Package text reads and writes numbers of bytes, and names, for people and terminals. It is for
// the commands of this repository: the library does not use it.
package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bytes returns n in the binary unit that suits it: 512 B, 4 KiB, 1.5 GiB.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	v := float64(n)
	for v >= 1024 && len(units) > 1 {
		v /= 1024
		units = units[1:]
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) + " " + units[0]
}

// sizeUnits has the power of two of each unit.
var sizeUnits = map[string]int{
	"": 0, "b": 0,
	"k": 10, "kb": 10, "kib": 10,
	"m": 20, "mb": 20, "mib": 20,
	"g": 30, "gb": 30, "gib": 30,
	"t": 40, "tb": 40, "tib": 40,
}

// ParseBytes reads a number of bytes as people type it: 4096, 64k, 1MiB.
func ParseBytes(text string) (n int64, ok bool) {
	digits, unit := strings.ToLower(text), ""
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits, unit = digits[:i], digits[i:]
	}
	shift, known := sizeUnits[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n<<shift>>shift != n {
		return 0, false
	}
	return n << shift, true
}

// Printable replaces each character of text that does not print with its escape, as in a Go string.
// Names of files may hold such characters, and a terminal would obey them. Line breaks are escaped
// too.
func Printable(text string) string {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if !strings.ContainsFunc(text, unprintable) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case unprintable(r):
			escape := fmt.Sprintf("%q", r)
			b.WriteString(escape[1 : len(escape)-1]) // without the quotes
		default:
			b.WriteRune(r)
		}
		text = text[n:]
	}
	return b.String()
}
