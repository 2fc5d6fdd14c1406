package chart

import "fmt"

// marker is the shape of a point.
type marker int

const (
	circle marker = iota
	box
	pyramid
	square
	triangle
	plus
	ring
	cross
)

// svg returns the marker at a place.
func (m marker) svg(x, y float64) string {
	const r = 3.6
	switch m {
	case circle:
		return fmt.Sprintf(`<circle class="fill" cx="%s" cy="%s" r="3"/>`, at(x), at(y))
	case ring:
		return fmt.Sprintf(`<circle class="open" cx="%s" cy="%s" r="3.4"/>`, at(x), at(y))
	case box, square:
		class := "fill"
		if m == square {
			class = "open"
		}
		return fmt.Sprintf(`<rect class="%s" x="%s" y="%s" width="6" height="6"/>`, class, at(x-3), at(y-3))
	case pyramid, triangle:
		class := "fill"
		if m == triangle {
			class = "open"
		}
		return fmt.Sprintf(`<path class="%s" d="M%s %sl%s %sh%sz"/>`, class, at(x), at(y-r), at(r), at(1.8*r), at(-2*r))
	case plus:
		return fmt.Sprintf(`<path class="stroke" d="M%s %sh8m-4-4v8"/>`, at(x-4), at(y))
	}
	return fmt.Sprintf(`<path class="stroke" d="M%s %sl7 7m0-7l-7 7"/>`, at(x-3.5), at(y-3.5))
}

// hatch is the pattern of stripes of a filled area. It distinguishes areas without colour.
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

// lines returns the path of the stripes of an area. They extend beyond it, and must be clipped.
func (h hatch) lines(width, height float64) string {
	step := 6.0
	path := ""
	diagonal := func(dx float64) {
		for x := -height; x < width+height; x += step {
			path += fmt.Sprintf("M%s %sl%s %s", at(x), at(height), at(dx), at(-height))
		}
	}
	across := func() {
		for y := step / 2; y < height; y += step {
			path += fmt.Sprintf("M0 %sh%s", at(y), at(width))
		}
	}
	up := func() {
		for x := step / 2; x < width; x += step {
			path += fmt.Sprintf("M%s 0v%s", at(x), at(height))
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
	return path
}
