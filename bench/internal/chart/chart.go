// Package chart draws figures as SVG: a grid of panels, each with two named axes, and series of
// points with error bars, lines or bars. It knows nothing of experiments; package pictures fills in
// the figures.
//
// SVG returns a separate file. HTML returns the same panels for a page. Both follow the reader's
// colour scheme: the colours are CSS variables (see CSS). Each marker has a title with its values,
// which a browser shows when the pointer is over it.
package chart

import "math"

// Figure is a grid of panels with one legend. All rows must have the same number of panels. A nil
// panel leaves its cell empty.
type Figure struct {
	Rows   [][]*Panel
	Height float64 // of a row, in CSS pixels
	Title  string  // of the file; a page has its own
	Note   string  // lines below the panels of the file
}

// Panel is one pair of axes with its series.
type Panel struct {
	Title  string
	X, Y   Axis
	Series []Series
	// Guide is the value at which a thin line crosses the panel; 0 draws none. It is a value of Y,
	// or of X if Y has names.
	Guide float64
	// Tops are texts over the bars of a panel whose X has names.
	Tops []string
	// Spread draws the points of each series a little to the side, so that error bars do not cover
	// each other.
	Spread bool
}

// Axis is one direction of a panel.
type Axis struct {
	Name   string    // with the unit
	Log    bool      // values are positive
	Ticks  []float64 // values with a label; nil chooses them
	Names  []string  // labels of the values 0, 1, 2 …, for things instead of numbers
	Format func(float64) string
	// Min and Max extend the axis beyond the values, unless both are 0. If Fixed is set, the axis
	// shows exactly Min to Max. A value beyond the axis is a mark at the edge with the value beside
	// it.
	Min, Max float64
	Fixed    bool
	// Whole shows all values. Otherwise an axis that is not Fixed leaves out the values that Trim
	// leaves out.
	Whole bool
}

// Series is a set of points with one colour and one marker.
type Series struct {
	Name  string
	Style int // index of the palette, or Published
	Line  bool
	// Plain draws no markers: only the Line, or small dots for many points.
	Plain bool
	// Bars draws parts of bars, in a panel whose X has names. A point's X is the index of the name,
	// and its Y is the height of the part. A part stands on earlier series' parts.
	Bars bool
	// Lengths draws a bar from the edge to each point, in a panel whose Y has names.
	Lengths bool
	Points  []Point
}

// Point is a value with the bounds of its interval. The bounds are values of Y, or of X if the
// panel's Y has names.
type Point struct{ X, Y, Low, High float64 }

// drawable returns the points that can be drawn. NaN cannot, nor 0 on a logarithmic axis. A bound
// that cannot be drawn is replaced by the value.
func (s Series) drawable(p *Panel) []Point {
	var points []Point
	for _, pt := range s.Points {
		if !p.X.canDraw(pt.X) || !p.Y.canDraw(pt.Y) {
			continue
		}
		value, axis := pt.Y, p.Y
		if p.across() {
			value, axis = pt.X, p.X
		}
		if !axis.canDraw(pt.Low) || pt.Low > value {
			pt.Low = value
		}
		if !axis.canDraw(pt.High) || pt.High < value {
			pt.High = value
		}
		points = append(points, pt)
	}
	return points
}

// across reports whether the values run along X, because Y has names.
func (p *Panel) across() bool { return p.Y.Names != nil }

// canDraw reports whether v has a position on the axis.
func (a Axis) canDraw(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.Log || v > 0)
}
