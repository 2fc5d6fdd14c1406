package report

import (
	"strings"
	"unicode/utf8"
)

// Align is the edge of the column to which cells are aligned.
type Align bool

// The edges: left for words, right for numbers.
const (
	Left  Align = false
	Right Align = true
)

// Column is a column of a Table. Its width is fixed, so that a row can be printed as soon as it is
// measured.
type Column struct {
	Head  string // may have several lines
	Width int    // of the cells; a wider cell pushes the rest of its row
	Align Align
}

// Table formats rows, and does not keep them.
type Table []Column

// gap is the space between two columns.
const gap = "  "

// Width returns the width of a row.
func (t Table) Width() int {
	n := len(gap) * (len(t) - 1)
	for _, c := range t {
		n += c.Width
	}
	return n
}

// Header returns the heads, aligned at their last lines, and a rule.
func (t Table) Header() string {
	heads := make([][]string, len(t))
	for i, c := range t {
		heads[i] = strings.Split(c.Head, "\n")
	}
	var b strings.Builder
	parts := t.parts()
	for _, p := range parts {
		lines := 0
		for _, head := range heads[p.from:p.to] {
			lines = max(lines, len(head))
		}
		for n := range lines {
			row := make([]string, len(t))
			for i, head := range heads[p.from:p.to] {
				if k := n - (lines - len(head)); k >= 0 {
					row[p.from+i] = head[k]
				}
			}
			if line := t.line(p, row); line != "\n" || len(parts) == 1 {
				b.WriteString(line)
			}
		}
	}
	rule := t.Width()
	if !Fits(rule) {
		rule = width
	}
	b.WriteString(strings.Repeat("-", rule) + "\n")
	return b.String()
}

// part is a group of columns that fit side by side on the terminal.
type part struct{ from, to int }

// parts returns the parts of the table: one if a row fits the terminal.
func (t Table) parts() []part {
	var parts []part
	p, used := part{}, -len(gap) // no gap precedes the first column
	for i, c := range t {
		if i > p.from && !Fits(used+len(gap)+c.Width) {
			parts = append(parts, p)
			p, used = part{from: i}, 0
		}
		p.to, used = i+1, used+len(gap)+c.Width
	}
	return append(parts, p)
}

// Row returns a row: one line, or as many as the table has parts. Lines after the first are
// indented. Missing cells are empty.
func (t Table) Row(cells ...string) string {
	parts := t.parts()
	var b strings.Builder
	for _, p := range parts {
		if line := t.line(p, cells); line != "\n" || len(parts) == 1 {
			b.WriteString(line)
		}
	}
	return b.String()
}

// line returns the cells of a part.
func (t Table) line(p part, cells []string) string {
	var b strings.Builder
	for i := p.from; i < min(p.to, len(cells)); i++ {
		if i > 0 {
			b.WriteString(gap)
		}
		cell := cells[i]
		pad := strings.Repeat(" ", max(0, t[i].Width-utf8.RuneCountInString(cell)))
		if t[i].Align == Right {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}
