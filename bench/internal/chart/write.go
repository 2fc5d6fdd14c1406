package chart

import (
	"fmt"
	"strings"
)

// Sizes in CSS pixels.
const (
	fileWidth  = 860
	border     = 16
	gap        = 18
	narrow     = 380 // a panel on a small screen
	headHeight = 28
	headSize   = 17
)

// SVG returns the figure as a separate file with a background.
func (f Figure) SVG() []byte {
	columns := 1
	for _, row := range f.Rows {
		columns = max(columns, len(row))
	}
	var b strings.Builder
	y := float64(border)
	if f.Title != "" {
		fmt.Fprintf(&b, `<text class="head" x="%d" y="%s">%s</text>`+"\n", border, at(y+14), escape(cut(f.Title, headSize, fileWidth-2*border)))
		y += headHeight
	}
	legend, height := f.legend(border, y)
	b.WriteString(legend)
	y += height
	width := (fileWidth - 2*border - gap*float64(columns-1)) / float64(columns)
	margins := f.margins(width)
	for _, row := range f.Rows {
		for i, p := range row {
			if p != nil {
				fmt.Fprintf(&b, `<g transform="translate(%s %s)">`+"\n%s</g>\n", at(border+float64(i)*(width+gap)), at(y), p.draw(width, f.Height, margins[i]))
			}
		}
		y += f.Height + gap
	}
	if f.Note != "" {
		for line := range strings.SplitSeq(f.Note, "\n") {
			fmt.Fprintf(&b, `<text class="faint" x="%d" y="%s">%s</text>`+"\n", border, at(y), escape(cut(line, fontSize, fileWidth-2*border)))
			y += lineHeight
		}
	}
	var all strings.Builder
	fmt.Fprintf(&all, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="%d" height="%s" viewBox="0 0 %d %s">`+"\n", fileWidth, at(y), fileWidth, at(y))
	fmt.Fprintf(&all, "<style>\n%s%s</style>\n", variables(".chart"), rules)
	fmt.Fprintf(&all, `<rect width="%d" height="%s" rx="6" style="fill:var(--back)"/>`+"\n", fileWidth, at(y))
	return []byte(all.String() + b.String() + "</svg>\n")
}

// margins returns the widths of the labels in each column.
func (f Figure) margins(width float64) []float64 {
	var margins []float64
	for _, row := range f.Rows {
		for i, p := range row {
			if i == len(margins) {
				margins = append(margins, 0)
			}
			if p != nil {
				margins[i] = max(margins[i], p.margin(width))
			}
		}
	}
	return margins
}

// HTML returns the figure for a page with the rules of CSS. The panels are separate pictures, in a
// grid with the class "panels" and "columns-N". Class "wide" has them for a screen with room for
// all columns, and class "narrow" for a smaller one. The page's style chooses.
func (f Figure) HTML(alt string) string {
	var b strings.Builder
	b.WriteString(f.key())
	columns := 1
	for _, row := range f.Rows {
		columns = max(columns, len(row))
	}
	width := map[int]float64{1: 760, 2: 500, 3: 350}[columns]
	if width == 0 {
		width = 300
	}
	label := alt
	for _, size := range []struct {
		class string
		width float64
	}{{"wide", width}, {"narrow", narrow}} {
		margins := f.margins(size.width)
		fmt.Fprintf(&b, `<div class="panels %s columns-%d" role="group" aria-label="%s">`+"\n", size.class, columns, escape(label))
		for _, row := range f.Rows {
			for i, p := range row {
				if p == nil {
					b.WriteString(`<span class="none"></span>` + "\n")
					continue
				}
				name := strings.TrimSpace(p.Title + " " + p.Y.Name + " " + p.X.Name)
				fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n%s</svg>\n",
					at(size.width), at(f.Height), escape(name), p.draw(size.width, f.Height, margins[i]))
			}
		}
		b.WriteString("</div>\n")
	}
	return b.String()
}

// named returns the series with a name, each once. If there are fewer than two, it returns none.
func (f Figure) named() []Series {
	var all []Series
	seen := make(map[string]bool)
	for _, row := range f.Rows {
		for _, p := range row {
			if p == nil {
				continue
			}
			for _, s := range p.Series {
				if s.Name != "" && !seen[s.Name] {
					seen[s.Name] = true
					all = append(all, s)
				}
			}
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// legend returns the names of the series from a place on, and their height.
func (f Figure) legend(left, top float64) (text string, height float64) {
	const swatch, line, space = 34, 20, 18
	var b strings.Builder
	x, y := left, top
	for _, s := range f.named() {
		width := swatch + textWidth(s.Name, fontSize) + space
		if x > left && x+width > fileWidth-border {
			x, y = left, y+line
		}
		fmt.Fprintf(&b, `<g transform="translate(%s %s)">%s<text x="%d" y="13">%s</text></g>`+"\n", at(x), at(y), s.swatch(), swatch, escape(s.Name))
		x, height = x+width, y+line+6-top
	}
	return b.String(), height
}

// key returns the legend as a list of HTML.
func (f Figure) key() string {
	var b strings.Builder
	for _, s := range f.named() {
		fmt.Fprintf(&b, `<li><svg class="chart" width="30" height="18" viewBox="0 0 30 18" aria-hidden="true">%s</svg>%s</li>`, s.swatch(), escape(s.Name))
	}
	if b.Len() == 0 {
		return ""
	}
	return `<ul class="key">` + b.String() + "</ul>\n"
}

// swatch draws the style of a series in 30 x 18 pixels.
func (s Series) swatch() string {
	look := styleOf(s.Style)
	inner := ""
	switch {
	case s.Bars:
		inner = look.fill(3, 3, 24, 12)
	case s.Line:
		dashes := ""
		if look.dashes != "" {
			dashes = ` stroke-dasharray="` + look.dashes + `"`
		}
		inner = `<path class="line"` + dashes + ` d="M1 9h28"/>`
	case s.Plain:
		inner = `<path class="area" d="M13.5 7.5h3v3h-3z"/>`
	}
	if !s.Plain && !s.Bars {
		inner += look.marker.svg(15, 9)
	}
	return `<g ` + look.colour() + `>` + inner + `</g>`
}
