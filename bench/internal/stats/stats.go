// Package stats has the statistics of results: medians, ratios formed within rounds, and
// intervals that hold the true value with a probability of 95 %. No function assumes a normal
// distribution, because times on a shared machine do not have one.
package stats

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// Number is a figure that may be missing: NaN, which is null in JSON.
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

// Median returns the median of v: the mean of the middle two of an even number of values, NaN if
// v is empty. It ignores NaNs and does not change v.
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

// Ratios returns a[i]/b[i] for each round that both have. On a noisy machine, slices of one
// round, which are neighbours in time, are comparable; those of different minutes are not. The
// ratio is NaN where b[i] is 0.
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

// Interval returns bounds that hold the true median of what v was drawn from with a probability
// of 95 %, whatever the distribution: the order statistics given by a binomial distribution (sign
// test). Fewer than six values do not suffice for 95 %; the bounds are then the smallest and the
// largest value.
func Interval(v []Number) (lo, hi Number) {
	s := present(v)
	if len(s) == 0 {
		return NaN, NaN
	}
	slices.Sort(s)
	k := tail(len(s))
	return s[k], s[len(s)-1-k]
}

// tail returns how many of n sorted values can be cut off at each end so that the median is
// outside of the rest with a probability of at most 5 %.
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
