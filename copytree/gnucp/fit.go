package gnucp

import (
	"strings"
	"unicode"
)

// showName returns a name with ? for each character that could control the terminal, or that the
// locale cannot show.
func showName(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar || r >= 0x80 && !showsUnicode() {
			return '?'
		}
		return r
	}, name)
}

// shorten cuts the middle of a name to at most width columns. It keeps the end, the most
// informative part.
func shorten(name string, width int) string {
	if columns(name) <= width {
		return name
	}
	const dots = "..."
	keep := max(width-len(dots), 0)
	head := fit(name, keep/3)
	runes := []rune(name)
	tail := len(runes)
	for used := columns(head); tail > 0 && used+columnsOf(runes[tail-1]) <= keep; tail-- {
		used += columnsOf(runes[tail-1])
	}
	return fit(head+dots+string(runes[tail:]), width)
}

// fit cuts the end of a text to at most width columns.
func fit(text string, width int) string {
	used := 0
	for i, r := range text {
		used += columnsOf(r)
		if used > width {
			return text[:i]
		}
	}
	return text
}

func columns(text string) (n int) {
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

// wide holds the characters that take two columns: East Asian ones and most
// pictures (Unicode TR 11, classes W and F, by blocks).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

// columnsOf returns the number of columns that a character takes on a terminal.
func columnsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
