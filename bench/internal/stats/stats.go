// Package stats has the statistics of results: medians, ratios formed within rounds, and intervals
// that contain the true value with a probability of 95 %. No function assumes a normal
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

// UnmarshalJSON reads the output of MarshalJSON.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = NaN
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// Median returns the median of v, or NaN if v is empty. For an even number of values it is the mean
// of the middle two. It ignores NaNs and does not change v.
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

// Count returns the number of values in v that are not missing.
func Count(v []Number) int { return len(present(v)) }

// Ratios returns a[i]/b[i] for each round that both have. On a noisy machine, slices of one round
// are comparable because they are neighbours in time; slices of different minutes are not. The
// ratio is NaN if b[i] is 0.
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

// Interval returns bounds that contain the true median of v's distribution with a probability of 95
// %, whatever the distribution. They are the order statistics of a binomial distribution (sign
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

// Width returns half the width of an interval, as a part of the value inside it: 0.03 for 0.97 to
// 1.03.
func Width(lo, value, hi Number) Number { return (hi - lo) / 2 / value }

// tail returns how many of n sorted values can be cut off at each end so that the rest misses the
// median with a probability of at most 5 %.
func tail(n int) int {
	const outside = 0.05
	sum := binomial(n, 0)
	k := 0
	for ; k < n/2; k++ {
		sum += binomial(n, k+1)
		if 2*sum > outside {
			break
		}
	}
	return k
}

// binomial returns the probability that exactly k of n values are below the median. It uses
// logarithms: 0.5^n alone is too small for a float64 from n = 1075 on.
func binomial(n, k int) float64 {
	factorial := func(i int) float64 { v, _ := math.Lgamma(float64(i) + 1); return v }
	return math.Exp(factorial(n) - factorial(k) - factorial(n-k) - float64(n)*math.Ln2)
}

// present returns a copy of v without NaNs.
func present(v []Number) []Number {
	return slices.DeleteFunc(slices.Clone(v), Number.IsNaN)
}
