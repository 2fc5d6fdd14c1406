package chart

import (
	"fmt"
	"strings"
)

// Published is the style of published points.
const Published = -1

// style is the look of a series. Styles differ in colour, marker, dashes and stripes, and each of
// these is enough to distinguish them.
type style struct {
	name        string // of its CSS variable
	light, dark string // its colour on a light and on a dark background
	marker      marker
	dashes      string
	hatch       hatch
}

// palette has the colours of Okabe and Ito, which people with colour blindness can distinguish. It
// omits yellow, which is hard to see on white. The colours for a dark background are lighter.
var palette = []style{
	{"c0", "#1b1f24", "#e6edf3", circle, "", smooth},
	{"c1", "#0072b2", "#58b0f0", box, "", rising},
	{"c2", "#00805d", "#2fc79a", pyramid, "8 3", falling},
	{"c3", "#c77700", "#f0a13a", square, "3 3", level},
	{"c4", "#b8578c", "#e39ac4", triangle, "10 3 3 3", upright},
	{"c5", "#2b8cc4", "#8fd0f5", plus, "5 3 1 3", crossed},
	{"c6", "#707070", "#a0a0a0", ring, "1 3", waffle},
	{"c7", "#7a4a00", "#c99a5b", cross, "12 4", dense},
}

var published = style{"cp", "#d55e00", "#ff8a3d", pyramid, "", smooth}

func styleOf(n int) style {
	if n < 0 {
		return published
	}
	return palette[n%len(palette)]
}

// base has the colours that belong to no series: their variables, light and dark.
var base = [][3]string{
	{"back", "#ffffff", "#0d1117"},
	{"text", "#1b1f24", "#e6edf3"},
	{"faint", "#57606a", "#9da7b3"},
	{"rule", "#dfe3e8", "#272d36"},
	{"edge", "#8c959f", "#6e7681"},
}

// CSS returns the rules that pictures of HTML need: the colours as variables, for both colour
// schemes, and the classes.
func CSS() string { return variables(".chart") + rules }

// variables returns the rules that set the colours inside selector.
func variables(selector string) string {
	var light, dark strings.Builder
	for _, b := range base {
		fmt.Fprintf(&light, "--%s:%s;", b[0], b[1])
		fmt.Fprintf(&dark, "--%s:%s;", b[0], b[2])
	}
	for _, s := range append(palette[:len(palette):len(palette)], published) {
		fmt.Fprintf(&light, "--%s:%s;", s.name, s.light)
		fmt.Fprintf(&dark, "--%s:%s;", s.name, s.dark)
	}
	return fmt.Sprintf("%s{%s}\n@media (prefers-color-scheme:dark){%s{%s}}\n", selector, light.String(), selector, dark.String())
}

const rules = `.chart text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px;fill:var(--text)}
.chart .title{font-weight:600;font-size:13px}
.chart .head{font-weight:600;font-size:17px}
.chart .faint{fill:var(--faint)}
.chart .top{font-size:11px}
.chart .grid{stroke:var(--rule);stroke-width:1;fill:none}
.chart .edge,.chart .guide{stroke:var(--edge);stroke-width:1;fill:none}
.chart .guide{stroke-width:1.5}
.chart .line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}
.chart .bar{stroke:currentColor;stroke-width:1.3;fill:none}
.chart .area{fill:currentColor}
.chart .length{fill:currentColor;opacity:.28}
.chart .fill{fill:currentColor;stroke:currentColor;stroke-width:1.6}
.chart .open{fill:var(--back);stroke:currentColor;stroke-width:1.6}
.chart .stroke{fill:none;stroke:currentColor;stroke-width:1.8}
.chart .stripe{stroke:var(--back);stroke-width:1.2;fill:none}
.chart .hit{fill:transparent;stroke:none}
.chart .off{fill:currentColor;stroke:none}
.chart .offtext{font-size:11px;font-weight:600}
`

// colour returns the attribute that makes the series' colour the current one.
func (s style) colour() string { return `style="color:var(--` + s.name + `)"` }
