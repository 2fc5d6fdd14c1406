package report

import (
	"strings"
	"unicode/utf8"
)

// width is that of everything this package writes.
const width = 80

// Wrap breaks text into lines of at most 80 columns, those after the first
// indented by two.
func Wrap(text string) string { return Hang("", "  ", text) }

// Hang breaks text into lines of at most 80 columns. The first one starts
// with first, the others with indent. A word that is too long for a line has
// one for itself.
func Hang(first, indent, text string) string {
	var b strings.Builder
	b.WriteString(first)
	column := utf8.RuneCountInString(first)
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = utf8.RuneCountInString(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String() + "\n"
}
