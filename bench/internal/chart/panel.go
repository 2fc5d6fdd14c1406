package chart

import (
	"fmt"
	"slices"
	"strings"
)

// span is a value on an axis with the bounds of its interval.
type span struct{ value, low, high float64 }

// drawing is a panel in progress.
type drawing struct {
	*Panel
	b                        strings.Builder
	x, y                     scale
	left, top, right, bottom float64 // of the area of the points
}

// Sizes in CSS pixels.
const (
	lineHeight = 16
	tickLength = 4
	edgeRight  = 14 // room for half of the last label
)

// spans returns the spans that the two axes have to show.
func (p *Panel) spans() (x, y []span) {
	for _, s := range p.Series {
		if s.Bars {
			continue
		}
		for _, pt := range s.drawable(p) {
			across, along := span{pt.X, pt.X, pt.X}, span{pt.Y, pt.Low, pt.High}
			if p.across() {
				across, along = span{pt.X, pt.Low, pt.High}, span{pt.Y, pt.Y, pt.Y}
			}
			x, y = append(x, across), append(y, along)
		}
	}
	for at, height := range newStack(p).height {
		x, y = append(x, span{float64(at), float64(at), float64(at)}), append(y, span{0, 0, 0}, span{height, height, height})
	}
	return x, y
}

// axes returns the axes as drawn. The axis of positions shows all of them.
func (p *Panel) axes() (x, y Axis) {
	x, y = p.X, p.Y
	if p.across() {
		y.Whole = true
	} else {
		x.Whole = true
	}
	return x, y
}

// margin returns the width of the labels at the left.
func (p *Panel) margin(width float64) float64 {
	_, spans := p.spans()
	_, a := p.axes()
	low, high := a.limits(spans)
	widest := 0.0
	for _, t := range a.ticks(low, high) {
		widest = max(widest, textWidth(t.label, fontSize))
	}
	return min(widest, 0.42*width) + tickLength + 6
}

// draw returns the panel with the size, and labels in a margin at the left.
func (p *Panel) draw(width, height, margin float64) string {
	d := &drawing{Panel: p, left: margin, top: 4, right: width - edgeRight, bottom: height - lineHeight - 6}
	if p.Title != "" {
		d.text(0, 12, `class="title"`, cut(p.Title, fontSize+1, width), p.Title)
		d.top += lineHeight + 3
	}
	if p.Y.Name != "" {
		d.text(0, d.top+8, `class="faint"`, cut(p.Y.Name, fontSize, width), p.Y.Name)
		d.top += lineHeight
	}
	if p.X.Name != "" {
		d.text((d.left+d.right)/2, height-4, `class="faint" text-anchor="middle"`, cut(p.X.Name, fontSize, width), p.X.Name)
		d.bottom -= lineHeight
	}
	if p.Tops != nil {
		d.top += 6
	}
	d.top = min(d.top+4, d.bottom-20)
	x, y := p.axes()
	xs, ys := p.spans()
	d.x, d.y = x.scale(xs, d.left, d.right), y.scale(ys, d.bottom, d.top)
	d.grid(x, y)
	d.inside(func() {
		newStack(p).draw(d)
		for i, s := range p.Series {
			d.under(s, d.shift(i))
		}
		d.guide()
	})
	for _, top := range newStack(p).tops(d) {
		d.b.WriteString(top)
	}
	for i, s := range p.Series {
		d.over(s, d.shift(i))
	}
	return d.b.String()
}

// text writes a text. If the text was cut, its title has the whole text.
func (d *drawing) text(x, y float64, attributes, text, whole string) {
	title := ""
	if text != whole {
		title = "<title>" + escape(whole) + "</title>"
	}
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" %s>%s%s</text>`+"\n", at(x), at(y), attributes, escape(text), title)
}

// grid draws the lines and labels of both axes. It leaves out a label that would cover the previous
// one.
func (d *drawing) grid(x, y Axis) {
	var grid strings.Builder
	end := -1e9
	for _, t := range x.ticks(d.x.min, d.x.max) {
		place := d.x.at(t.value)
		if x.Names == nil {
			fmt.Fprintf(&grid, "M%s %sV%s", at(place), at(d.top), at(d.bottom))
		}
		half := textWidth(t.label, fontSize) / 2
		if t.label == "" || place-half < end+6 {
			continue
		}
		end = place + half
		d.text(place, d.bottom+tickLength+fontSize, `text-anchor="middle"`, t.label, t.label)
	}
	above := 1e9
	for _, t := range y.ticks(d.y.min, d.y.max) {
		place := d.y.at(t.value)
		fmt.Fprintf(&grid, "M%s %sH%s", at(d.left), at(place), at(d.right))
		if t.label == "" || place > above-fontSize {
			continue
		}
		above = place
		d.text(d.left-tickLength-2, place+4, `text-anchor="end"`, cut(t.label, fontSize, d.left-tickLength-2), t.label)
	}
	fmt.Fprintf(&d.b, `<path class="grid" d="%s"/>`+"\n", grid.String())
	fmt.Fprintf(&d.b, `<path class="edge" d="M%s %sV%sH%s"/>`+"\n", at(d.left), at(d.top), at(d.bottom), at(d.right))
}

// inside lets draw draw into the area of the points, clipped to it.
func (d *drawing) inside(draw func()) {
	fmt.Fprintf(&d.b, `<svg x="%[1]s" y="%[2]s" width="%[3]s" height="%[4]s" viewBox="%[1]s %[2]s %[3]s %[4]s" overflow="hidden">`+"\n",
		at(d.left), at(d.top), at(d.right-d.left), at(d.bottom-d.top))
	draw()
	d.b.WriteString("</svg>\n")
}

func (d *drawing) guide() {
	switch {
	case d.Guide == 0:
	case d.across():
		fmt.Fprintf(&d.b, `<path class="guide" d="M%s %sV%s"/>`+"\n", at(d.x.at(d.Guide)), at(d.top), at(d.bottom))
	default:
		fmt.Fprintf(&d.b, `<path class="guide" d="M%s %sH%s"/>`+"\n", at(d.left), at(d.y.at(d.Guide)), at(d.right))
	}
}

// shift returns the sideways distance of the points of a series.
func (d *drawing) shift(series int) float64 {
	const step = 5
	if !d.Spread {
		return 0
	}
	return step * (float64(series) - float64(len(d.Series)-1)/2)
}

// under draws the parts of a series that are clipped at the edges of the panel: the line, error
// bars and bars.
func (d *drawing) under(s Series, shift float64) {
	points := s.drawable(d.Panel)
	if s.Bars || len(points) == 0 {
		return
	}
	var path strings.Builder
	look := styleOf(s.Style)
	for i, pt := range points {
		x, y := d.x.at(pt.X)+shift, d.y.at(pt.Y)
		switch {
		case s.Plain && !s.Line:
			fmt.Fprintf(&path, "M%s %sh1.8v1.8h-1.8z", at(x-0.9), at(y-0.9))
		case s.Line && i == 0:
			fmt.Fprintf(&path, "M%s %s", at(x), at(y))
		case s.Line:
			fmt.Fprintf(&path, "L%s %s", at(x), at(y))
		}
	}
	fmt.Fprintf(&d.b, `<g %s>`, look.colour())
	switch {
	case s.Plain && !s.Line:
		fmt.Fprintf(&d.b, `<path class="area" d="%s"/>`, path.String())
	case s.Line && look.dashes != "":
		fmt.Fprintf(&d.b, `<path class="line" stroke-dasharray="%s" d="%s"/>`, look.dashes, path.String())
	case s.Line:
		fmt.Fprintf(&d.b, `<path class="line" d="%s"/>`, path.String())
	}
	if !s.Plain {
		d.bounds(s, points, shift)
	}
	d.b.WriteString("</g>\n")
}

// bounds draws the error bars of the points, and the bars of Lengths.
func (d *drawing) bounds(s Series, points []Point, shift float64) {
	const cap = 4
	for _, pt := range points {
		x, y := d.x.at(pt.X), d.y.at(pt.Y)
		if d.across() {
			y += shift
		} else {
			x += shift
		}
		low, high := d.x.at(pt.Low), d.x.at(pt.High)
		switch {
		case s.Lengths && d.across():
			half := 0.32 * (d.y.at(0) - d.y.at(1))
			fmt.Fprintf(&d.b, `<path class="length" d="M%s %sH%sV%sH%sz"/>`, at(d.left), at(y-half), at(x), at(y+half), at(d.left))
			fallthrough
		case d.across():
			if pt.Low != pt.High {
				fmt.Fprintf(&d.b, `<path class="bar" d="M%s %sv%dm0 -%dH%sm0 -%dv%d"/>`, at(low), at(y-cap), 2*cap, cap, at(high), cap, 2*cap)
			}
		case pt.Low != pt.High:
			low, high = d.y.at(pt.Low), d.y.at(pt.High)
			fmt.Fprintf(&d.b, `<path class="bar" d="M%s %sh%dm-%d 0V%sm-%d 0h%d"/>`, at(x-cap), at(low), 2*cap, cap, at(high), cap, 2*cap)
		}
	}
}

// over draws the markers of a series, each with its values as a title.
func (d *drawing) over(s Series, shift float64) {
	points := s.drawable(d.Panel)
	if s.Bars || s.Plain || len(points) == 0 {
		return
	}
	look := styleOf(s.Style)
	fmt.Fprintf(&d.b, `<g %s>`+"\n", look.colour())
	for _, pt := range points {
		x, y, side := d.x.at(pt.X)+shift, d.y.at(pt.Y), d.y.side(pt.Y)
		if d.across() {
			x, y, side = d.x.at(pt.X), d.y.at(pt.Y)+shift, d.x.side(pt.X)
		}
		fmt.Fprintf(&d.b, `<g class="point"><title>%s</title>`, escape(d.describe(s, pt)))
		if side != 0 {
			d.off(x, y, side, pt)
		} else {
			d.b.WriteString(look.marker.svg(x, y))
			fmt.Fprintf(&d.b, `<circle class="hit" cx="%s" cy="%s" r="9"/>`, at(x), at(y))
		}
		d.b.WriteString("</g>\n")
	}
	d.b.WriteString("</g>\n")
}

// off marks a value beyond the axis with an arrow at the edge, and the value beside it.
func (d *drawing) off(x, y float64, side int, pt Point) {
	const size = 5
	if d.across() {
		edge, anchor := d.right, "end"
		if side < 0 {
			edge, anchor = d.left, "start"
		}
		out := float64(side)
		fmt.Fprintf(&d.b, `<path class="off" d="M%s %sl%s %sl%s %sz"/>`, at(edge), at(y), at(-out*2*size), at(-size), "0", at(2*size))
		fmt.Fprintf(&d.b, `<text class="offtext" x="%s" y="%s" text-anchor="%s">%s</text>`, at(edge-out*14), at(y+4), anchor, escape(number(pt.X)))
		fmt.Fprintf(&d.b, `<circle class="hit" cx="%s" cy="%s" r="12"/>`, at(edge-out*size), at(y))
		return
	}
	edge, out := d.top, -1.0 // y grows downwards
	if side < 0 {
		edge, out = d.bottom, 1
	}
	fmt.Fprintf(&d.b, `<path class="off" d="M%s %sl%s %sh%sz"/>`, at(x), at(edge), at(-size), at(-out*2*size), at(2*size))
	label := number(pt.Y)
	place, anchor := x+8, "start"
	if place+textWidth(label, 11) > d.right+edgeRight {
		place, anchor = x-8, "end"
	}
	fmt.Fprintf(&d.b, `<text class="offtext" x="%s" y="%s" text-anchor="%s">%s</text>`, at(place), at(edge-out*6+4), anchor, escape(label))
	fmt.Fprintf(&d.b, `<circle class="hit" cx="%s" cy="%s" r="12"/>`, at(x), at(edge-out*size))
}

// describe returns the values of a point, one on each line.
func (d *drawing) describe(s Series, pt Point) string {
	var lines []string
	name := func(a Axis, v float64) string {
		if i := int(v + 0.5); i >= 0 && i < len(a.Names) {
			return a.Names[i]
		}
		return ""
	}
	value, axis := pt.Y, d.Y
	switch {
	case d.across():
		value, axis = pt.X, d.X
		lines = append(lines, name(d.Y, pt.Y), s.Name)
	case d.X.Names != nil:
		lines = append(lines, s.Name, name(d.X, pt.X))
	default:
		lines = append(lines, s.Name, d.X.Name+": "+number(pt.X))
	}
	lines = append(lines, axis.Name+": "+number(value))
	if pt.Low != pt.High {
		lines = append(lines, "95 %: "+number(pt.Low)+" to "+number(pt.High))
	}
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "\n")
}
