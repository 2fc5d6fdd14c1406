package report

import (
	"strings"
	"unicode/utf8"
)

// width is that of everything this package writes.
const width = 80

// Wrap breaks text into lines of at most 80 columns, those after the first
// indented by two.
func Wrap(text string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n  ")
			column = 2
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String() + "\n"
}
