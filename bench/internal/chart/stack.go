package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barWidth is the width of a bar; names are 1 apart.
const barWidth = 0.7

// stack draws the Bars of a panel. The part of each series stands on that of the series before
// it.
type stack struct {
	blocks []block
	tops   []string        // by index of the name
	height map[int]float64 // of each bar, by index of the name
}

// block is a part of a bar.
type block struct {
	at        int // index of the name
	low, high float64
	style     style
}

// newStack adds up the parts of the panel's bars. It skips values that are not positive numbers.
func newStack(p *Panel) *stack {
	s := &stack{tops: p.Tops, height: make(map[int]float64)}
	for _, series := range p.Series {
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
			s.blocks = append(s.blocks, block{at, low, low + pt.Y, styleOf(series.Style)})
		}
	}
	return s
}

// DataRange implements plot.DataRanger.
func (s *stack) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, b := range s.blocks {
		xmax, ymax = math.Max(xmax, float64(b.at)), math.Max(ymax, b.high)
	}
	return 0, xmax, 0, ymax
}

// Plot implements plot.Plotter.
func (s *stack) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, b := range s.blocks {
		b.style.fill(c, vg.Rectangle{
			Min: vg.Point{X: x(float64(b.at) - barWidth/2), Y: y(b.low)},
			Max: vg.Point{X: x(float64(b.at) + barWidth/2), Y: y(b.high)},
		})
	}
	letters := text.Style{
		Color: color.Black, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(tickSize-1)),
		XAlign: draw.XCenter, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler,
	}
	for i, top := range s.tops {
		c.FillText(letters, vg.Point{X: x(float64(i)), Y: y(s.height[i]) + vg.Points(1.5)}, top)
	}
}

// hatch is the pattern of stripes of a filled area, so that areas can be distinguished without
// colour.
type hatch int

const (
	smooth hatch = iota
	rising
	falling
	level
	upright
	crossed
	waffle
	dense
)

// fill draws an area in the style.
func (s style) fill(c draw.Canvas, r vg.Rectangle) {
	corners := []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
	c.FillPolygon(s.color, corners)
	if r.Max.Y-r.Min.Y < vg.Points(2) { // stripes would cover it
		return
	}
	area := draw.Canvas{Canvas: c.Canvas, Rectangle: r}
	white := draw.LineStyle{Color: color.White, Width: vg.Points(0.8)}
	area.StrokeLines(white, area.ClipLinesXY(s.hatch.lines(r)...)...)
}

// lines returns the stripes of an area. They extend beyond it, and must be clipped.
func (h hatch) lines(r vg.Rectangle) [][]vg.Point {
	step := vg.Points(4)
	var lines [][]vg.Point
	height := r.Max.Y - r.Min.Y
	diagonal := func(dx vg.Length) {
		for x := r.Min.X - height; x < r.Max.X+height; x += step {
			lines = append(lines, []vg.Point{{X: x, Y: r.Min.Y}, {X: x + dx, Y: r.Max.Y}})
		}
	}
	across := func() {
		for y := r.Min.Y + step/2; y < r.Max.Y; y += step {
			lines = append(lines, []vg.Point{{X: r.Min.X, Y: y}, {X: r.Max.X, Y: y}})
		}
	}
	up := func() {
		for x := r.Min.X + step/2; x < r.Max.X; x += step {
			lines = append(lines, []vg.Point{{X: x, Y: r.Min.Y}, {X: x, Y: r.Max.Y}})
		}
	}
	switch h {
	case rising:
		diagonal(height)
	case falling:
		diagonal(-height)
	case level:
		across()
	case upright:
		up()
	case crossed:
		diagonal(height)
		diagonal(-height)
	case waffle:
		across()
		up()
	case dense:
		step /= 2
		across()
	}
	return lines
}

// thumbnail draws, in a legend, the style of bars and beside it the marker of lines of the same
// name.
type thumbnail style

// Thumbnail implements plot.Thumbnailer.
func (t thumbnail) Thumbnail(c *draw.Canvas) {
	bar := c.Rectangle
	bar.Max.X = bar.Min.X + (bar.Max.X-bar.Min.X)*0.6
	style(t).fill(*c, bar)
	c.DrawGlyph(style(t).glyph(), vg.Point{X: (bar.Max.X + c.Max.X) / 2, Y: c.Center().Y})
}
