package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// dots draws small squares for many points in one path. A thousand circles would make the SVG a
// hundred times as large.
type dots struct {
	plotter.XYs
	color color.Color
}

// dotSize is the width of a dot.
const dotSize = 1.6

// Plot implements plot.Plotter.
func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var path vg.Path
	half := vg.Points(dotSize / 2)
	for _, pt := range d.XYs {
		at := vg.Point{X: x(pt.X), Y: y(pt.Y)}
		path.Move(vg.Point{X: at.X - half, Y: at.Y - half})
		path.Line(vg.Point{X: at.X + half, Y: at.Y - half})
		path.Line(vg.Point{X: at.X + half, Y: at.Y + half})
		path.Line(vg.Point{X: at.X - half, Y: at.Y + half})
		path.Close()
	}
	c.SetColor(d.color)
	c.Fill(path)
}

// DataRange implements plot.DataRanger.
func (d dots) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(d.XYs) }
