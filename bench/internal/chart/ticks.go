package chart

import (
	"math"
	"strconv"
	"strings"
)

// tick is a place on an axis. It has a line, and a label unless that is "".
type tick struct {
	value float64
	label string
}

// ticks returns the ticks between two values.
func (a Axis) ticks(low, high float64) []tick {
	const short = 5 // a shorter logarithmic axis has the labels of a linear one
	var ticks []tick
	switch {
	case a.Names != nil:
		for i, name := range a.Names {
			ticks = append(ticks, tick{float64(i), name})
		}
		return ticks
	case a.Ticks != nil:
		for _, v := range a.Ticks {
			if v >= low && v <= high {
				ticks = append(ticks, tick{v, a.label(v)})
			}
		}
		return ticks
	case a.Log && high/low >= short:
		return a.decades(low, high)
	}
	step := niceStep((high - low) / 4)
	for i := math.Ceil(low / step); i*step <= high*(1+1e-12); i++ {
		ticks = append(ticks, tick{i * step, a.label(i * step)})
	}
	return ticks
}

// niceStep returns a step of 1, 2 or 5 times a power of ten that is not much smaller than about.
func niceStep(about float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(about)))
	for _, m := range []float64{1, 2, 5} {
		if about <= m*power*1.01 {
			return m * power
		}
	}
	return 10 * power
}

// decades labels powers of ten, and in a short range also 2 and 5 times them. In a very long range
// it labels every few powers.
func (a Axis) decades(low, high float64) []tick {
	const few, most = 2.2, 9
	span := math.Log10(high / low)
	if math.IsInf(high/low, 0) {
		span = math.Log10(high) - math.Log10(low)
	}
	step := max(1, math.Ceil(span/most))
	var ticks []tick
	for e := math.Floor(math.Log10(low)/step) * step; e <= math.Ceil(math.Log10(high)); e += step {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			t := tick{value: v}
			if m == 1 || span < few && (m == 2 || m == 5) || span < few/3 {
				t.label = a.label(v)
			}
			if v >= low*(1-1e-9) && v <= high*(1+1e-9) && (m == 1 || m == 2 || m == 5 || t.label != "") {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

func (a Axis) label(v float64) string {
	if a.Format != nil {
		return a.Format(v)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// number returns v with four significant digits and commas: 1,234,000.
func number(v float64) string {
	if v != 0 && (math.Abs(v) < 1e-6 || math.Abs(v) >= 1e15) {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 3, 64), 64)
	text := strconv.FormatFloat(rounded, 'f', -1, 64)
	whole, rest, dot := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dot {
		return whole + "." + rest
	}
	return whole
}
