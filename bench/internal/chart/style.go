package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Published is the style of points that are from a publication.
const Published = -1

// style is how a series is drawn. Each differs from the others in colour, marker, dashes and
// stripes, so that any one of these is enough to distinguish them.
type style struct {
	color  color.RGBA
	marker draw.GlyphDrawer
	dashes []vg.Length
	hatch  hatch
}

func rgb(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

// palette has the colours of Okabe and Ito, which people with colour blindness can distinguish,
// except yellow, which is hard to see on white.
var palette = []style{
	{rgb(0x000000), draw.CircleGlyph{}, nil, smooth},
	{rgb(0x0072b2), draw.BoxGlyph{}, nil, rising},
	{rgb(0x009e73), draw.PyramidGlyph{}, []vg.Length{6, 2}, falling},
	{rgb(0xe69f00), draw.SquareGlyph{}, []vg.Length{2, 2}, level},
	{rgb(0xcc79a7), draw.TriangleGlyph{}, []vg.Length{8, 2, 2, 2}, upright},
	{rgb(0x56b4e9), draw.PlusGlyph{}, []vg.Length{4, 2, 1, 2}, crossed},
	{rgb(0x808080), draw.RingGlyph{}, []vg.Length{1, 2}, waffle},
	{rgb(0x7a4a00), draw.CrossGlyph{}, []vg.Length{10, 3}, dense},
}

var published = style{rgb(0xd55e00), draw.PyramidGlyph{}, nil, smooth}

func styleOf(n int) style {
	if n < 0 {
		return published
	}
	return palette[n%len(palette)]
}

func (s style) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: vg.Points(3.2), Shape: s.marker}
}

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: vg.Points(1.3), Dashes: s.dashes}
}

func (s style) bar() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: vg.Points(0.9)}
}

// faint returns a pale colour for areas, on which a marker remains visible.
func (s style) faint() color.Color {
	pale := func(v uint8) uint8 { return v/3 + 170 }
	return color.RGBA{R: pale(s.color.R), G: pale(s.color.G), B: pale(s.color.B), A: 0xff}
}
