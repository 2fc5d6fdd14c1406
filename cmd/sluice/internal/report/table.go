package report

import (
	"strings"
	"unicode/utf8"
)

// Align says to which edge of its column a cell keeps.
type Align bool

// The edges. Words keep to the left, numbers to the right.
const (
	Left  Align = false
	Right Align = true
)

// Column is a column of a Table. Its width is fixed beforehand, so that rows
// can be shown as they are measured.
type Column struct {
	Head  string // may have several lines
	Width int    // of the cells; a wider one pushes the rest of its row
	Align Align
}

// Table renders rows. It keeps none.
type Table []Column

// gap is what lies between two columns.
const gap = "  "

// Width returns the width of a row.
func (t Table) Width() int {
	n := len(gap) * (len(t) - 1)
	for _, c := range t {
		n += c.Width
	}
	return n
}

// Header returns the heads, the last line of each at the bottom, and a rule.
func (t Table) Header() string {
	heads := make([][]string, len(t))
	lines := 0
	for i, c := range t {
		heads[i] = strings.Split(c.Head, "\n")
		lines = max(lines, len(heads[i]))
	}
	var b strings.Builder
	for n := range lines {
		row := make([]string, len(t))
		for i, head := range heads {
			if k := n - (lines - len(head)); k >= 0 {
				row[i] = head[k]
			}
		}
		b.WriteString(t.Row(row...))
	}
	b.WriteString(strings.Repeat("-", t.Width()) + "\n")
	return b.String()
}

// Row returns one line. Cells that are left out are empty.
func (t Table) Row(cells ...string) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString(gap)
		}
		pad := strings.Repeat(" ", max(0, t[i].Width-utf8.RuneCountInString(cell)))
		if t[i].Align == Right {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}
