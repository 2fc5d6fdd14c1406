// Package stats has the few statistics that results are made of.
package stats

import (
	"math"
	"slices"
	"strconv"
)

// Number is a figure that may be missing, which NaN stands for. JSON, which
// has no NaN, gets null.
type Number float64

// NaN is the missing Number.
var NaN = Number(math.NaN())

// IsNaN reports whether n is missing.
func (n Number) IsNaN() bool { return n != n }

// MarshalJSON writes n with six significant digits.
func (n Number) MarshalJSON() ([]byte, error) {
	if n.IsNaN() || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', 6, 64), nil
}

// Median returns the median of v, the mean of the middle two if their number
// is even, and NaN if there are none. It ignores NaNs and leaves v as it is.
func Median(v []Number) Number {
	s := present(v)
	if len(s) == 0 {
		return NaN
	}
	slices.Sort(s)
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}

// Ratios returns a[i]/b[i] for each round that both have: the rounds of a
// noisy machine are compared each with its neighbour in time, never with one
// of another minute. Where b[i] is 0 the ratio is NaN.
func Ratios(a, b []Number) []Number {
	r := make([]Number, min(len(a), len(b)))
	for i := range r {
		r[i] = NaN
		if b[i] != 0 {
			r[i] = a[i] / b[i]
		}
	}
	return r
}

// Spread returns half the distance between the smallest and the largest of
// v as a fraction of the median: how far single rounds lie from it.
func Spread(v []Number) Number {
	s, m := present(v), Median(v)
	if len(s) == 0 || m == 0 {
		return NaN
	}
	return (slices.Max(s) - slices.Min(s)) / 2 / m
}

// present returns a copy of v without NaNs.
func present(v []Number) []Number {
	return slices.DeleteFunc(slices.Clone(v), Number.IsNaN)
}
