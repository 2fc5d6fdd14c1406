// Package stats has the few statistics that results are made of.
package stats

import (
	"encoding/json"
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

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = NaN
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
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

// Interval returns the bounds between which the true median of what v was
// drawn from lies with a probability of 95 %, whatever its distribution: the
// order statistics that a binomial distribution picks. With fewer than six
// values that is more than they can say, and the bounds are the extremes.
func Interval(v []Number) (lo, hi Number) {
	s := present(v)
	if len(s) == 0 {
		return NaN, NaN
	}
	slices.Sort(s)
	k := tail(len(s))
	return s[k], s[len(s)-1-k]
}

// tail returns how many of n sorted values may be cut off at each end such
// that the median lies outside of the rest with a probability of at most 5 %.
func tail(n int) int {
	const outside = 0.05
	term := math.Pow(0.5, float64(n)) // probability of exactly k of n below the median
	sum := term
	k := 0
	for ; k < n/2; k++ {
		term *= float64(n-k) / float64(k+1)
		sum += term
		if 2*sum > outside {
			break
		}
	}
	return k
}

// present returns a copy of v without NaNs.
func present(v []Number) []Number {
	return slices.DeleteFunc(slices.Clone(v), Number.IsNaN)
}
