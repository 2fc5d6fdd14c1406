package chart

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// odd has values that come from a damaged file, or from a side that did nothing.
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
			svg, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
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
	if _, xmax, ymin, ymax := s.DataRange(); xmax != 1 || ymin != 0 || ymax != 5 {
		t.Errorf("the range is to %v, and from %v to %v; want to 1, and from 0 to 5", xmax, ymin, ymax)
	}
	svg, err := Figure{Height: 100, Rows: [][]*Panel{{p}}}.SVG()
	if err != nil {
		t.Fatal(err)
	}
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
	area := vg.Rectangle{Min: vg.Point{X: 10, Y: 10}, Max: vg.Point{X: 30, Y: 90}}
	for _, s := range palette {
		if seen[s.hatch] {
			t.Errorf("two styles have stripes %d", s.hatch)
		}
		seen[s.hatch] = true
		if n := len(s.hatch.lines(area)); (n == 0) != (s.hatch == smooth) {
			t.Errorf("stripes %d are %d lines", s.hatch, n)
		}
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
			if tick.Label != "" && tick.Value >= low && tick.Value <= high {
				n++
			}
		}
		return n
	}
	for _, span := range [][2]float64{{900, 1200}, {1, 3}, {1, 50}, {1, 1e4}, {3, 7e6}} {
		if n := labels(span[0], span[1]); n < 2 || n > 12 {
			t.Errorf("%d labels from %v to %v; want 2 to 12", n, span[0], span[1])
		}
	}
}
