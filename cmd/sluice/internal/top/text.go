package top

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/internal/live"
)

// Styles of a terminal, and the end of them.
const (
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	busy  = "\x1b[36m"
	plain = "\x1b[m"
)

// column is a column of a table. The first one has the names, and the room that is left. Another is
// left out on a screen of fewer than from columns.
type column struct {
	title string
	width int
	from  int
}

// drawing is a text that is being made.
type drawing struct {
	lines  []string
	width  int
	colour bool
}

// Text returns the figures for a screen of that width and height; a height of 0 has no end. No line
// is wider. The last files are left out where the height ends.
func Text(f *live.Figures, width, height int, colour bool) string {
	d := &drawing{width: max(width, 20), colour: colour}
	d.head(f)
	if len(f.Schedulers) > 0 {
		d.paths(f)
		d.devices(f)
		d.kinds(f)
		if len(f.Classes) > 1 {
			d.groups("class", f.Classes)
		}
		d.groups("file", f.Files)
		if f.FilesLeft > 0 {
			d.add(d.style(dim, fmt.Sprintf("and %d more files", f.FilesLeft)))
		}
	}
	if height > 0 && len(d.lines) > height {
		d.lines = d.lines[:height]
	}
	return strings.Join(d.lines, "\n") + "\n"
}

func (d *drawing) add(line string) { d.lines = append(d.lines, line) }

func (d *drawing) style(s, text string) string {
	if !d.colour || text == "" {
		return text
	}
	return s + text + plain
}

// cut returns text that is at most n columns wide. Of a name that is too long the end is kept.
func cut(text string, n int) string {
	text = report.Printable(text)
	whole := text
	// A character may have two columns
	for off := ansi.StringWidth(whole) - n + 1; ansi.StringWidth(text) > n; off++ {
		text = ansi.TruncateLeft(whole, off, "…")
	}
	return text
}

// head adds what the program is. The line breaks where it is too long.
func (d *drawing) head(f *live.Figures) {
	pid := fmt.Sprintf(" %d", f.PID)
	d.add(d.style(bold, cut(f.Program, d.width-len(pid))) + pid)
	for _, line := range wrap(report.Printable(f.Headline()), d.width) {
		d.add(d.style(dim, line))
	}
}

// wrap returns the words of text in lines of at most n columns. A longer word is cut.
func wrap(text string, n int) (lines []string) {
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		if last >= 0 && ansi.StringWidth(lines[last])+1+ansi.StringWidth(word) <= n {
			lines[last] += " " + word
		} else {
			lines = append(lines, cut(word, n))
		}
	}
	return lines
}

func (d *drawing) paths(f *live.Figures) {
	var rows [][]string
	for _, p := range f.Paths {
		rows = append(rows, []string{p.Name, live.Count(p.InFlight), live.Count(p.Waiting), live.Rate(p.Rate)})
	}
	d.table([]column{{"path", 0, 0}, {"in flight", 9, 0}, {"waiting", 7, 0}, {"ops/s", 7, 0}}, rows)
}

func (d *drawing) devices(f *live.Figures) {
	var rows [][]string
	for _, v := range f.Devices {
		rows = append(rows, []string{
			v.Name, live.Count(v.Queued), live.Count(v.Plain), live.Count(v.Waiting), live.Count(v.Permits), live.Count(v.Rings),
		})
	}
	d.table([]column{{"device", 0, 0}, {"queued", 7, 0}, {"calls", 6, 0}, {"waiting", 8, 0}, {"permits", 8, 60}, {"rings", 6, 60}}, rows)
}

func (d *drawing) kinds(f *live.Figures) {
	var rows [][]string
	for _, g := range f.Kinds {
		rows = append(rows, []string{
			g.Name, live.Mean(g.Mean), live.Rate(g.Rate), live.Bytes(g.Bytes), live.Latency(g.P50), live.Latency(g.P99), live.Latency(g.Max),
		})
	}
	d.table([]column{{"operation", 0, 0}, {"mean", 6, 72}, {"ops/s", 6, 0}, {"bytes/s", 8, 60}, {"p50", 7, 40}, {"p99", 7, 0}, {"max", 7, 60}}, rows)
}

func (d *drawing) groups(of string, all []live.Group) {
	var rows [][]string
	for _, g := range all {
		rows = append(rows, []string{
			g.Name, live.Count(g.InFlight), live.Mean(g.Mean), live.Rate(g.Rate), live.Bytes(g.Bytes), live.Latency(g.P99),
		})
	}
	d.table([]column{{of, 0, 0}, {"now", 5, 0}, {"mean", 6, 60}, {"ops/s", 6, 0}, {"bytes/s", 8, 60}, {"p99", 7, 0}}, rows)
}

// table adds a table, after an empty line. It adds nothing if there are no rows.
func (d *drawing) table(columns []column, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	room := d.width
	for _, c := range columns[1:] {
		if c.from <= d.width {
			room -= c.width + 1
		}
	}
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	d.add("")
	d.row(columns, titles, room, func(_ int, text string) string { return d.style(dim, text) })
	for _, r := range rows {
		d.row(columns, r, room, func(i int, text string) string {
			if t := columns[i].title; (t == "in flight" || t == "now") && strings.TrimSpace(text) != "0" {
				return d.style(busy, text)
			}
			return text
		})
	}
}

// row adds a row. The names have room columns.
func (d *drawing) row(columns []column, cells []string, room int, style func(i int, text string) string) {
	name := cut(cells[0], max(room, 1))
	line := style(0, name) + strings.Repeat(" ", max(0, room-ansi.StringWidth(name)))
	for i, c := range columns[1:] {
		if c.from <= d.width {
			line += " " + style(i+1, fmt.Sprintf("%*s", c.width, cells[i+1]))
		}
	}
	d.add(line)
}
