// Package chart draws figures: panels of series with error bars, on axes that
// have names, as PNG and as SVG.
package chart

import "math"

// Figure is a grid of panels under one legend. All rows have equally many; nil
// leaves a place empty.
type Figure struct {
	Rows   [][]*Panel
	Height float64 // of a row, in points (1/72 inch)
}

// Panel is one pair of axes.
type Panel struct {
	Title  string
	X, Y   Axis
	Series []Series
	// Guide is where a thin line crosses the panel: y of it, x of a panel whose
	// Y has names; 0 is none.
	Guide float64
	// Tops are written over the bars of a panel whose X has names.
	Tops []string
}

// Axis is one direction of a panel.
type Axis struct {
	Name   string    // with the unit
	Log    bool      // values are positive
	Ticks  []float64 // where there is a label; nil leaves it to the range
	Names  []string  // labels of 0, 1, 2 …, of an axis of things and not of numbers
	Format func(float64) string
	// Min and Max are what the axis shows at least; both 0 leave it to the
	// values. If Fixed, it is all that it shows: bars end at the edge.
	Min, Max float64
	Fixed    bool
}

// Series is what has one colour and one marker.
type Series struct {
	Name  string
	Style int // of the palette; equal in all panels of a figure
	Line  bool
	// Plain has no markers: a Line alone, or dots for many points.
	Plain bool
	// Bars are parts of bars, of a panel whose X has names: a point's X is the
	// number of the name, and Y its height over the series before.
	Bars bool
	// Lengths are bars from the edge to each point, where values run along X.
	Lengths bool
	Points  []Point
}

// Point is a value with the bounds of its interval, along X if the panel's Y
// has names, else along Y.
type Point struct{ X, Y, Low, High float64 }

// drawable returns the points that have a place on the axes: a figure that is
// missing has none, and a logarithmic axis has no 0. A bound without a place
// is taken to be the value itself.
func (s Series) drawable(p *Panel) []Point {
	var points []Point
	for _, pt := range s.Points {
		if !p.X.holds(pt.X) || !p.Y.holds(pt.Y) {
			continue
		}
		value, axis := pt.Y, p.Y
		if p.across() {
			value, axis = pt.X, p.X
		}
		if !axis.holds(pt.Low) || pt.Low > value {
			pt.Low = value
		}
		if !axis.holds(pt.High) || pt.High < value {
			pt.High = value
		}
		points = append(points, pt)
	}
	return points
}

// across reports whether values run along X.
func (p *Panel) across() bool { return p.Y.Names != nil }

func (a Axis) holds(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.Log || v > 0)
}
