package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// odd has values from a damaged file, or from a side that did nothing.
var odd = []Point{
	{X: 1, Y: math.NaN()},
	{X: 2, Y: math.Inf(1), Low: 1, High: 2},
	{X: 0, Y: 0},
	{X: -1, Y: -5, Low: -6, High: -4},
	{X: 4, Y: 3, Low: math.NaN(), High: math.Inf(1)},
	{X: 8, Y: 5, Low: 9, High: 1}, // bounds on the wrong sides
}

func TestOddValues(t *testing.T) {
	numbers := Axis{Name: "number"}
	decades := Axis{Name: "number", Log: true}
	things := Axis{Names: []string{"a", "b"}}
	for _, test := range []struct {
		name   string
		panel  Panel
		points []Point
	}{
		{"linear", Panel{X: numbers, Y: numbers}, odd},
		{"log", Panel{X: decades, Y: decades}, odd},
		{"across", Panel{X: decades, Y: things}, odd},
		{"nothing", Panel{X: decades, Y: decades, Guide: 1}, nil},
		{"nothing that has a place", Panel{X: decades, Y: decades}, odd[:4]},
		{"one", Panel{X: numbers, Y: numbers}, []Point{{X: 3, Y: 3, Low: 3, High: 3}}},
		{"zero", Panel{X: numbers, Y: numbers}, []Point{{}}},
		{"far apart", Panel{X: decades, Y: decades}, []Point{{X: 1e-300, Y: 1e-300}, {X: 1e300, Y: 1e300}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			panel := test.panel
			panel.Series = []Series{{Name: "s", Line: true, Points: test.points}}
			f := Figure{Height: 100, Rows: [][]*Panel{{&panel, nil}}}
			svg := f.SVG()
			wellFormed(t, svg)
			for _, bad := range []string{"NaN", "Inf"} {
				if bytes.Contains(svg, []byte(bad)) {
					t.Errorf("%s is in the drawing", bad)
				}
			}
		})
	}
}

// TestStack checks that bars stand on each other, and that values without a height are left out.
func TestStack(t *testing.T) {
	p := &Panel{X: Axis{Names: []string{"a", "b"}}, Tops: []string{"sum of a", "sum of b"}, Series: []Series{
		{Name: "one", Style: 1, Bars: true, Points: []Point{{X: 0, Y: 2}, {X: 1, Y: math.NaN()}}},
		{Name: "two", Style: 2, Bars: true, Points: []Point{{X: 0, Y: 3}, {X: 1, Y: 4}, {X: 1, Y: -1}}},
		{Name: "a line", Line: true, Points: []Point{{X: 0, Y: 100}}},
	}}
	s := newStack(p)
	var got []string
	for _, b := range s.blocks {
		got = append(got, fmt.Sprint(b.at, b.low, b.high))
	}
	if want := []string{"0 0 2", "0 2 5", "1 0 4"}; !slices.Equal(got, want) {
		t.Errorf("blocks are %q; want %q", got, want)
	}
	if s.height[0] != 5 || s.height[1] != 4 {
		t.Errorf("the bars are %v high; want 5 and 4", s.height)
	}
	svg := Figure{Height: 100, Rows: [][]*Panel{{p}}}.SVG()
	wellFormed(t, svg)
	for _, text := range []string{"sum of a", "sum of b", "two", "a line"} {
		if !bytes.Contains(svg, []byte(">"+text+"<")) {
			t.Errorf("the drawing does not say %q", text)
		}
	}
}

// TestHatch checks that no two styles of the palette have the same stripes, and that stripes
// cover the whole area.
func TestHatch(t *testing.T) {
	seen := make(map[hatch]bool)
	for _, s := range palette {
		if seen[s.hatch] {
			t.Errorf("two styles have stripes %d", s.hatch)
		}
		seen[s.hatch] = true
		if path := s.hatch.lines(20, 80); (path == "") != (s.hatch == smooth) {
			t.Errorf("stripes %d are %q", s.hatch, path)
		}
	}
}

// wellFormed fails the test if the text is no XML document with one element.
func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("the drawing is no XML: %v", err)
		}
	}
}

// TestText checks that names with markup and control characters leave the drawing well-formed.
func TestText(t *testing.T) {
	const name = "<b>&\"'\x00\x1b\xff\ufffe"
	things := Axis{Names: []string{name, strings.Repeat("w", 300)}}
	p := &Panel{Title: name, X: Axis{Name: name}, Y: things, Series: []Series{
		{Name: name, Points: []Point{{X: 1, Y: 0}, {X: 2, Y: 1}}}, {Name: "other"},
	}}
	f := Figure{Title: name, Note: name, Height: 100, Rows: [][]*Panel{{p}}}
	wellFormed(t, f.SVG())
	wellFormed(t, []byte("<div>"+f.HTML(name)+"</div>"))
	if bytes.Contains(f.SVG(), []byte("<b>")) || strings.Contains(f.HTML(name), "<b>") {
		t.Error("a name is markup")
	}
}

// TestTrim checks which values an axis leaves out.
func TestTrim(t *testing.T) {
	for _, test := range []struct {
		values    []float64
		log       bool
		low, high float64
	}{
		{[]float64{1, 2, 3, 4, 100}, false, 1, 4},
		{[]float64{100, 1, 2, 4, 3}, false, 1, 4},
		{[]float64{1, 2, 4, 8, 16, 32}, false, 1, 32},             // not far away
		{[]float64{1, 2, 3, 100}, false, 1, 100},                  // too few to know what is usual
		{[]float64{1, 2, 3, 4, 100, 100}, false, 1, 100},          // two of six are no outlier
		{[]float64{0.9, 1, 1.1, 1.2, 1.3, 40}, true, 0.9, 1.3},    // ratios
		{[]float64{0.001, 0.9, 1, 1.1, 1.2, 1.3}, true, 0.9, 1.3}, // far below
		// All equally far from each other.
		{[]float64{1, 10, 100, 1000, 1e4, 1e5}, true, 1, 1e5},
		{[]float64{3, 3, 3, 3, 50}, false, 3, 50},                // nothing would be left to see
		{[]float64{1, 2, 3, 4, 100, math.NaN(), -5}, true, 1, 4}, // the last two cannot be drawn
	} {
		low, high := Trim(test.values, test.log)
		if low != test.low || high != test.high {
			t.Errorf("Trim(%v, %v) = %v, %v; want %v, %v", test.values, test.log, low, high, test.low, test.high)
		}
	}
	if low, high := Trim(nil, false); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("Trim of nothing = %v, %v; want NaN", low, high)
	}
}

// TestOutlier checks that one outlier leaves room for the other values. It must be a mark at the
// edge with its value, in each kind of panel.
func TestOutlier(t *testing.T) {
	values := []float64{10, 11, 12, 13, 14, 900}
	for _, test := range []struct {
		name  string
		panel Panel
	}{
		{"points", Panel{}},
		{"log", Panel{Y: Axis{Log: true}}},
		{"lengths", Panel{X: Axis{Max: 1}, Y: Axis{Names: []string{"a", "b", "c", "d", "e", "f"}}}},
		{"fixed", Panel{Y: Axis{Fixed: true, Min: 10, Max: 14}}},
	} {
		p := test.panel
		s := Series{Name: "s", Line: true, Lengths: p.across()}
		for i, v := range values {
			if p.across() {
				s.Points = append(s.Points, Point{X: v, Y: float64(i), Low: v, High: v})
			} else {
				s.Points = append(s.Points, Point{X: float64(i), Y: v, Low: v, High: v})
			}
		}
		p.Series = []Series{s}
		svg := Figure{Height: 200, Rows: [][]*Panel{{&p}}}.SVG()
		wellFormed(t, svg)
		if n := bytes.Count(svg, []byte(`class="off"`)); n != 1 || !bytes.Contains(svg, []byte(">900</text>")) {
			t.Errorf("%s: %d values are beyond the edge; want one, with its number", test.name, n)
		}
		xs, ys := p.spans()
		x, y := p.axes()
		axis, spans := y, ys
		if p.across() {
			axis, spans = x, xs
		}
		if _, high := axis.limits(spans); high > 30 {
			t.Errorf("%s: the axis ends at %v; want it near 14", test.name, high)
		}
	}
	whole := Panel{Y: Axis{Whole: true}, Series: []Series{{Points: []Point{{0, 1, 1, 1}, {1, 2, 2, 2}, {2, 3, 3, 3}, {3, 4, 4, 4}, {4, 900, 900, 900}}}}}
	if svg := (Figure{Height: 200, Rows: [][]*Panel{{&whole}}}).SVG(); bytes.Contains(svg, []byte(`class="off"`)) {
		t.Error("an axis that shows all leaves a value out")
	}
}

// TestTitles checks that each mark has its values as a title.
func TestTitles(t *testing.T) {
	p := &Panel{
		X: Axis{Name: "goroutines", Log: true}, Y: Axis{Name: "ops/s"},
		Series: []Series{{Name: "sluice", Points: []Point{{X: 64, Y: 1234567, Low: 1200000, High: 1300000}}}, {Name: "os.File"}},
	}
	svg := Figure{Height: 200, Rows: [][]*Panel{{p}}}.SVG()
	if want := "<title>sluice\ngoroutines: 64\nops/s: 1,235,000\n95 %: 1,200,000 to 1,300,000</title>"; !bytes.Contains(svg, []byte(want)) {
		t.Errorf("the drawing has no %q", want)
	}
}

// TestColours checks that each colour has a light and a dark variant. The drawing must name no
// other colour, because it follows the reader's scheme.
func TestColours(t *testing.T) {
	css := CSS()
	for _, s := range append(palette, published) {
		if n := strings.Count(css, "--"+s.name+":"); n != 2 {
			t.Errorf("the colour %s is set %d times; want 2", s.name, n)
		}
	}
	p := &Panel{X: Axis{Names: []string{"a"}}, Series: []Series{{Style: 1, Name: "b", Bars: true, Points: []Point{{Y: 5}}}, {Name: "c"}}}
	svg := string(Figure{Title: "t", Height: 100, Rows: [][]*Panel{{p}}}.SVG())
	_, drawn, _ := strings.Cut(svg, "</style>")
	if colour := regexp.MustCompile(`#[0-9a-f]{3,6}|rgb|black|white`).FindString(drawn); colour != "" {
		t.Errorf("the drawing names the colour %s", colour)
	}
	if !strings.Contains(svg, "prefers-color-scheme:dark") {
		t.Error("the file has no dark colours")
	}
}

func TestDrawable(t *testing.T) {
	log := Axis{Log: true}
	got := Series{Points: odd}.drawable(&Panel{X: log, Y: log})
	want := []Point{{4, 3, 3, 3}, {8, 5, 5, 5}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("drawable = %v; want %v", got, want)
	}
}

func TestDecades(t *testing.T) {
	labels := func(low, high float64) (n int) {
		for _, tick := range (Axis{Log: true}).ticks(low, high) {
			if tick.label != "" && tick.value >= low && tick.value <= high {
				n++
			}
		}
		return n
	}
	for _, span := range [][2]float64{{900, 1200}, {2.1, 3.7}, {1, 3}, {1, 5.1}, {1, 50}, {1, 1e4}, {3, 7e6}} {
		if n := labels(span[0], span[1]); n < 2 || n > 12 {
			t.Errorf("%d labels from %v to %v; want 2 to 12", n, span[0], span[1])
		}
	}
}
