package report

import (
	"strings"

	"github.com/sluiceio/sluice/internal/text"
)

// Printable is text.Printable.
func Printable(s string) string { return text.Printable(s) }

// Quote returns s between quotation marks, with Printable's escapes.
func Quote(s string) string { return `"` + text.Printable(s) + `"` }

// PrintableLines is Printable for a text of several lines. It keeps the line breaks.
func PrintableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}
