package chart

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes in points.
const (
	width       = 600
	margin      = 8
	legendWidth = 118
	pngDPI      = 180 // 1500 pixels wide
)

// PNG returns the figure as a PNG, 1500 pixels wide and as high as its rows.
func (f Figure) PNG() ([]byte, error) {
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, f.height()), vgimg.UseDPI(pngDPI))}
	f.draw(draw.New(canvas))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

// SVG returns the figure as an SVG with a white background.
func (f Figure) SVG() ([]byte, error) {
	canvas := vgsvg.New(width, f.height())
	f.draw(draw.New(canvas))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

func (f Figure) height() vg.Length { return vg.Length(float64(len(f.Rows))*f.Height) + 2*margin }

func (f Figure) draw(c draw.Canvas) {
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c = draw.Crop(c, margin, -margin, margin, -margin)
	if f.drawLegend(c) {
		c = draw.Crop(c, 0, -legendWidth, 0, 0)
	}
	plots := make([][]*plot.Plot, len(f.Rows))
	for i, row := range f.Rows {
		plots[i] = make([]*plot.Plot, len(row))
		for k, panel := range row {
			if panel != nil {
				plots[i][k] = panel.plot()
			}
		}
	}
	tiles := draw.Tiles{Rows: len(f.Rows), Cols: len(f.Rows[0]), PadX: 10, PadY: 10}
	for i, row := range plot.Align(plots, tiles, c) {
		for k, cell := range row {
			if plots[i][k] != nil {
				plots[i][k].Draw(cell)
			}
		}
	}
}

// drawLegend draws the names of the series at the right edge, each once. If there are fewer than
// two names, it draws nothing and returns false.
func (f Figure) drawLegend(c draw.Canvas) bool {
	legend := plot.NewLegend()
	legend.Top, legend.Left = true, true
	legend.Padding = vg.Points(4)
	legend.TextStyle.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, labelSize)
	seen := make(map[string]bool)
	for _, row := range f.Rows {
		for _, panel := range row {
			if panel == nil {
				continue
			}
			for _, s := range panel.Series {
				if s.Name != "" && !seen[s.Name] {
					seen[s.Name] = true
					legend.Add(s.Name, s.thumbnails()...)
				}
			}
		}
	}
	if len(seen) < 2 {
		return false
	}
	legend.Draw(draw.Crop(c, c.Max.X-c.Min.X-legendWidth+10, 0, 0, -margin))
	return true
}

func (s Series) thumbnails() []plot.Thumbnailer {
	look := styleOf(s.Style)
	switch {
	case s.Bars:
		return []plot.Thumbnailer{thumbnail(look)}
	case s.Plain && s.Line:
		return []plot.Thumbnailer{&plotter.Line{LineStyle: look.line()}}
	}
	marker := &plotter.Scatter{GlyphStyle: look.glyph()}
	if !s.Line {
		return []plot.Thumbnailer{marker}
	}
	return []plot.Thumbnailer{&plotter.Line{LineStyle: look.line()}, marker}
}
