package chart

import (
	"math"
	"slices"
)

// scale maps the values of an axis to positions.
type scale struct {
	log      bool
	min, max float64 // values at the ends
	from, to float64 // positions of the ends
}

// at returns the position of v. It is never far outside the panel, so that coordinates stay short.
func (s scale) at(v float64) float64 {
	const far = 2 // as a multiple of the length of the axis
	low, high := project(s.min, s.log), project(s.max, s.log)
	part := (project(v, s.log) - low) / (high - low)
	return s.from + (s.to-s.from)*max(-far, min(1+far, part))
}

// side returns -1 if v is below the axis, 1 if it is above, and 0 if the axis shows it.
func (s scale) side(v float64) int {
	const rounding = 1e-9
	low, high := project(s.min, s.log), project(s.max, s.log)
	switch part := (project(v, s.log) - low) / (high - low); {
	case part < -rounding:
		return -1
	case part > 1+rounding:
		return 1
	}
	return 0
}

// project returns the value in which the axis is linear.
func project(v float64, log bool) float64 {
	if log {
		return math.Log10(v)
	}
	return v
}

// Trim returns the range of the values without outliers that would flatten the rest. At one end it
// leaves out at most one value in twenty, or one of five or more. That must make the range a fifth
// as long or less, or 4/7 on a logarithmic axis. It skips values that cannot be drawn. If none is
// left, it returns NaN.
func Trim(values []float64, log bool) (low, high float64) {
	a := Axis{Log: log}
	v := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !a.canDraw(v) })
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(v)
	return trim(v, log, v[0])
}

// trim is Trim of sorted values, on an axis that also shows base.
func trim(v []float64, log bool, base float64) (low, high float64) {
	const enough = 5
	shrink := 5.0
	if log {
		shrink = 1.75
	}
	length := func(from, to int) float64 {
		return project(max(v[to], base), log) - project(min(v[from], base), log)
	}
	spare, last := 0, len(v)-1
	if len(v) >= enough {
		spare = max(1, len(v)/20)
	}
	for k := 1; k <= spare; k++ {
		if short := length(0, last-k); short > 0 && short <= length(0, last)/shrink {
			return v[0], v[last-k]
		}
		short := project(v[last], log) - project(v[k], log)
		// Otherwise the axis begins at base anyway.
		if v[0] == base && short > 0 && short <= length(0, last)/shrink {
			return v[k], v[last]
		}
	}
	return v[0], v[last]
}

// scale returns the scale of the axis for the spans, between two positions.
func (a Axis) scale(spans []span, from, to float64) scale {
	s := scale{log: a.Log, from: from, to: to}
	s.min, s.max = a.limits(spans)
	return s
}

// limits returns the values at both ends of the axis.
func (a Axis) limits(spans []span) (low, high float64) {
	switch {
	case a.Names != nil:
		return -0.5, float64(len(a.Names)) - 0.5
	case a.Fixed && a.Min < a.Max && (!a.Log || a.Min > 0):
		return a.Min, a.Max
	case len(spans) == 0:
		spans = []span{{1, 1, 1}, {2, 2, 2}}
	}
	v := make([]float64, len(spans))
	for i, s := range spans {
		v[i] = s.value
	}
	slices.Sort(v)
	low, high = v[0], v[len(v)-1]
	if !a.Whole {
		base := low
		if !a.Log && a.Min == 0 && low >= 0 && a.Max != 0 { // the axis begins at 0
			base = 0
		}
		low, high = trim(v, a.Log, base)
	}
	low, high = bounded(spans, low, high)
	if a.Min != 0 || a.Max != 0 {
		low, high = min(low, a.Min), max(high, a.Max)
	}
	return a.widen(low, high)
}

// bounded extends a range by the intervals of its values, but only as far as the values keep enough
// room: one disturbed interval must not flatten the rest.
func bounded(spans []span, low, high float64) (float64, float64) {
	const most = 2.5 // as a multiple of the value, up and down
	first, last := low, high
	for _, s := range spans {
		switch {
		case s.value < first || s.value > last:
		case s.value > 0:
			low, high = min(low, max(s.low, s.value/most)), max(high, min(s.high, s.value*most))
		default:
			low, high = min(low, s.low), max(high, s.high)
		}
	}
	return low, high
}

// widen adds a margin beyond the values.
func (a Axis) widen(low, high float64) (float64, float64) {
	if a.Log {
		if low <= 0 { // low comes from Min
			low = high / 10
		}
		return low / 1.15, high * 1.15
	}
	if a.Ticks == nil {
		margin := 0.05 * (high - low)
		if low != 0 {
			low -= margin
		}
		high += margin
	}
	if low >= high { // there is only one value
		low, high = low-1, high+1
	}
	return low, high
}
