package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// apply configures an axis of the plot library like a. to.Min and to.Max must be those of the
// values.
func (a Axis) apply(to *plot.Axis) {
	to.Label.Text = a.Name
	to.Tick.Marker = plot.TickerFunc(a.ticks)
	switch {
	case a.Names != nil:
		to.Min, to.Max = -0.5, float64(len(a.Names))-0.5
		to.Tick.Length = 0
		return
	case a.Fixed && a.Min < a.Max:
		to.Min, to.Max = a.Min, a.Max
	case a.Min != 0 || a.Max != 0:
		to.Min, to.Max = math.Min(to.Min, a.Min), math.Max(to.Max, a.Max)
	}
	switch {
	case a.Log:
		to.Scale = plot.LogScale{}
		to.Min, to.Max = to.Min/1.15, to.Max*1.15
	case a.Ticks == nil:
		margin := 0.05 * (to.Max - to.Min)
		if to.Min != 0 {
			to.Min -= margin
		}
		to.Max += margin
	}
	if to.Min >= to.Max { // there is only one value
		to.Min, to.Max = to.Min-1, to.Max+1
	}
}

// ticks implements plot.Ticker.
func (a Axis) ticks(low, high float64) []plot.Tick {
	switch {
	case a.Names != nil:
		ticks := make([]plot.Tick, len(a.Names))
		for i, name := range a.Names {
			ticks[i] = plot.Tick{Value: float64(i), Label: name}
		}
		return ticks
	case a.Ticks != nil:
		var ticks []plot.Tick
		for _, v := range a.Ticks {
			if v < low || v > high { // the library would leave room for its label
				continue
			}
			ticks = append(ticks, plot.Tick{Value: v, Label: a.label(v)})
		}
		return ticks
	case a.Log:
		return a.decades(low, high)
	}
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = a.label(t.Value)
		}
	}
	return ticks
}

// decades labels powers of ten, and with a short range also 2 and 5 times those.
func (a Axis) decades(low, high float64) []plot.Tick {
	const few = 2.2
	span := math.Log10(high / low)
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			t := plot.Tick{Value: v}
			if m == 1 || span < few && (m == 2 || m == 5) || span < few/3 {
				t.Label = a.label(v)
			}
			ticks = append(ticks, t)
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
