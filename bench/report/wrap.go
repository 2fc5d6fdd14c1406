package report

import (
	"strings"
	"unicode/utf8"
)

// prose is the most columns of a line of text, however wide the terminal is.
const prose = 80

// width is how wide everything is that this package writes; 0 is without a bound.
var width = prose

// SetWidth has everything that this package writes fit a terminal of so many columns.
// With 0 it is for no terminal: a paragraph is one line, and a table has all its columns
// side by side. Without the call it is 80. It must be called before anything is written,
// and not beside that.
func SetWidth(columns int) { width = min(max(columns, 0), prose) }

// Fits reports whether a line of so many columns is shown as one.
func Fits(columns int) bool { return width == 0 || columns <= width }

// Wrap breaks text into lines that fit, those after the first indented by two.
func Wrap(text string) string { return Hang("", "  ", text) }

// narrowIndent is what is left of an indent that would take most of a line.
const narrowIndent = "    "

// Hang breaks text into lines that fit. The first one starts with first, the others
// with indent, or with less on a narrow terminal. A word that is too long for a line
// has one for itself.
func Hang(first, indent, text string) string {
	if !Fits(2 * utf8.RuneCountInString(indent)) {
		indent = indent[:min(len(indent), len(narrowIndent))]
	}
	var b strings.Builder
	b.WriteString(first)
	column := utf8.RuneCountInString(first[strings.LastIndexByte(first, '\n')+1:])
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0 && (column == 0 || Fits(column+n)):
		case i == 0, !Fits(column + 1 + n):
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
