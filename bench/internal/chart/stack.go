package chart

import (
	"fmt"
	"math"
)

// barWidth is the width of a bar; names are 1 apart.
const barWidth = 0.7

// stack has the Bars of a panel. The part of each series stands on the previous series' part.
type stack struct {
	blocks []block
	height map[int]float64 // of each bar, by index of the name
}

// block is a part of a bar.
type block struct {
	at        int // index of the name
	low, high float64
	series    *Series
}

// newStack adds up the parts of the panel's bars. It skips values that are not positive numbers.
func newStack(p *Panel) *stack {
	s := &stack{height: make(map[int]float64)}
	for i := range p.Series {
		series := &p.Series[i]
		if !series.Bars {
			continue
		}
		for _, pt := range series.Points {
			at := int(pt.X)
			if !(pt.Y > 0) || math.IsInf(pt.Y, 0) {
				continue
			}
			low := s.height[at]
			s.height[at] = low + pt.Y
			s.blocks = append(s.blocks, block{at, low, low + pt.Y, series})
		}
	}
	return s
}

// draw draws the bars inside the panel.
func (s *stack) draw(d *drawing) {
	for _, b := range s.blocks {
		left, right := d.x.at(float64(b.at)-barWidth/2), d.x.at(float64(b.at)+barWidth/2)
		low, high := min(d.y.at(b.low), d.bottom), max(d.y.at(b.high), d.top-1)
		if low <= high { // otherwise it is beyond the edge
			continue
		}
		what := d.describe(*b.series, Point{X: float64(b.at), Y: b.high - b.low, Low: 1, High: 1})
		fmt.Fprintf(&d.b, `<g class="point" %s><title>%s</title>`, styleOf(b.series.Style).colour(), escape(what))
		d.b.WriteString(styleOf(b.series.Style).fill(left, high, right-left, low-high) + "</g>\n")
	}
}

// tops returns the texts over the bars. It leaves out a text that would cover the previous one.
func (s *stack) tops(d *drawing) []string {
	const size = 11
	var all []string
	end := -1e9
	for i, top := range d.Tops {
		x, y := d.x.at(float64(i)), max(d.y.at(s.height[i]), d.top)
		half := textWidth(top, size) / 2
		if top == "" || x-half < end+3 {
			continue
		}
		end = x + half
		if s.height[i] > 0 && d.y.side(s.height[i]) > 0 { // the bar is cut off
			top = "↑ " + top
		}
		all = append(all, fmt.Sprintf(`<text class="top" x="%s" y="%s" text-anchor="middle">%s</text>`+"\n", at(x), at(y-3), escape(top)))
	}
	return all
}

// fill returns an area in the style.
func (s style) fill(x, y, width, height float64) string {
	area := fmt.Sprintf(`<path class="area" d="M%s %sh%sv%sh%sz"/>`, at(x), at(y), at(width), at(height), at(-width))
	if height < 3 || s.hatch == smooth { // stripes would cover it
		return area
	}
	return area + fmt.Sprintf(`<svg x="%s" y="%s" width="%s" height="%s" overflow="hidden"><path class="stripe" d="%s"/></svg>`,
		at(x), at(y), at(width), at(height), s.hatch.lines(width, height))
}
