package report

import (
	"strings"
	"unicode/utf8"
)

// prose is the most columns of a line of text, on a wider terminal too.
const prose = 80

// width is the number of columns that everything must fit; 0 means no limit.
var width = prose

// SetWidth sets the number of columns for text and tables. 0 is for output that is no terminal: a
// paragraph is one line, and a table has all its columns side by side. The default is 80. SetWidth
// must be called before any formatting, and not concurrently.
func SetWidth(columns int) { width = min(max(columns, 0), prose) }

// Fits reports whether a line of n columns fits the width.
func Fits(columns int) bool { return width == 0 || columns <= width }

// Wrap breaks text into lines that fit. Lines after the first are indented by two.
func Wrap(text string) string { return Hang("", "  ", text) }

// narrowIndent replaces an indent that would take most of a line.
const narrowIndent = "    "

// Hang breaks text into lines that fit. The first line starts with first, later lines with indent,
// or a shorter indent on a narrow terminal. A word that is too long for a line gets its own line.
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
