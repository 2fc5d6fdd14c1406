package chart

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Font sizes in points.
const (
	titleSize = 9
	labelSize = 9
	tickSize  = 8
)

// plot returns the panel as a plot of the library.
func (p *Panel) plot() *plot.Plot {
	plt := plot.New()
	plt.Title.Text = p.Title
	plt.Title.Padding = vg.Points(3)
	plt.Add(p.grid())
	if slices.ContainsFunc(p.Series, func(s Series) bool { return s.Bars }) {
		plt.Add(newStack(p))
	}
	for _, s := range p.Series {
		if s.Bars {
			continue
		}
		if points := s.drawable(p); len(points) > 0 {
			plt.Add(s.plotters(points, p.across())...)
		}
	}
	if plt.X.Min > plt.X.Max { // nothing can be drawn
		plt.X.Min, plt.X.Max, plt.Y.Min, plt.Y.Max = 1, 2, 1, 2
	}
	p.X.apply(&plt.X)
	p.Y.apply(&plt.Y)
	if p.Guide != 0 {
		plt.Add(guideLine{p.Guide, p.across()})
	}
	setFonts(plt)
	return plt
}

func setFonts(p *plot.Plot) {
	sans := func(size float64) font.Font {
		return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size))
	}
	p.Title.TextStyle.Font = sans(titleSize)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(labelSize)
		a.Tick.Label.Font = sans(tickSize)
	}
	p.Legend.TextStyle.Font = sans(labelSize)
}

func (p *Panel) grid() *plotter.Grid {
	grid := plotter.NewGrid()
	line := draw.LineStyle{Color: color.Gray{0xdd}, Width: vg.Points(0.4)}
	grid.Vertical, grid.Horizontal = line, line
	return grid
}

// plotters returns what draws the series: line, error bars and markers, the markers on top.
func (s Series) plotters(points []Point, across bool) []plot.Plotter {
	look := styleOf(s.Style)
	xys := make(plotter.XYs, len(points))
	for i, p := range points {
		xys[i] = plotter.XY{X: p.X, Y: p.Y}
	}
	var all []plot.Plotter
	if s.Plain && !s.Line {
		return []plot.Plotter{dots{xys, look.color}}
	}
	if s.Line {
		all = append(all, &plotter.Line{XYs: xys, LineStyle: look.line()})
	}
	if s.Lengths && across {
		all = append(all, lengths{xys, look.faint()})
	}
	if s.Plain {
		return all
	}
	if slices.ContainsFunc(points, func(p Point) bool { return p.Low != p.High }) {
		all = append(all, errorBars(points, xys, look.bar(), across))
	}
	return append(all, &plotter.Scatter{XYs: xys, GlyphStyle: look.glyph()})
}

// errorBars returns what draws the intervals of the points.
func errorBars(points []Point, xys plotter.XYs, line draw.LineStyle, across bool) plot.Plotter {
	bounds := make(plotter.Errors, len(points))
	for i, p := range points {
		value := p.Y
		if across {
			value = p.X
		}
		bounds[i].Low, bounds[i].High = value-p.Low, p.High-value
	}
	if across {
		return &plotter.XErrorBars{XYs: xys, XErrors: plotter.XErrors(bounds), LineStyle: line, CapWidth: vg.Points(5)}
	}
	return &plotter.YErrorBars{XYs: xys, YErrors: plotter.YErrors(bounds), LineStyle: line, CapWidth: vg.Points(5)}
}

// lengths draws bars from the edge of the panel to the values.
type lengths struct {
	plotter.XYs
	color color.Color
}

// Plot implements plot.Plotter.
func (l lengths) Plot(c draw.Canvas, p *plot.Plot) {
	const half = 0.32 // half the width of a bar; rows are 1 apart
	toX, toY := p.Transforms(&c)
	for _, xy := range l.XYs {
		right := min(toX(xy.X), c.Max.X)
		low, high := toY(xy.Y-half), toY(xy.Y+half)
		c.FillPolygon(l.color, []vg.Point{{X: c.Min.X, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: c.Min.X, Y: high}})
	}
}

// guideLine draws a thin line from edge to edge.
type guideLine struct {
	at     float64
	across bool
}

// Plot implements plot.Plotter.
func (g guideLine) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: color.Gray{0x55}, Width: vg.Points(0.8)}
	if g.across {
		c.StrokeLine2(line, x(g.at), c.Min.Y, x(g.at), c.Max.Y)
		return
	}
	c.StrokeLine2(line, c.Min.X, y(g.at), c.Max.X, y(g.at))
}
