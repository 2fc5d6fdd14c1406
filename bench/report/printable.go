package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable replaces each character of text that does not print with its escape, as in
// a Go string. Names of files may hold such characters, and a terminal would obey them.
// Line breaks are escaped too.
func Printable(text string) string {
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

// Quote returns text between quotation marks, with Printable's escapes.
func Quote(text string) string { return `"` + Printable(text) + `"` }

// PrintableLines is Printable for a text of several lines, which it keeps.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
