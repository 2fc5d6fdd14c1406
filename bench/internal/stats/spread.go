package stats

import "math"

// Mean returns the mean of v, NaN if there is none. It ignores NaNs.
func Mean(v []Number) Number {
	v = present(v)
	if len(v) == 0 {
		return NaN
	}
	sum := Number(0)
	for _, x := range v {
		sum += x
	}
	return sum / Number(len(v))
}

// Deviation returns the standard deviation of what v was drawn from (n - 1), NaN
// of fewer than two values. It ignores NaNs.
func Deviation(v []Number) Number {
	v = present(v)
	if len(v) < 2 {
		return NaN
	}
	mean, sum := Mean(v), 0.0
	for _, x := range v {
		sum += math.Pow(float64(x-mean), 2)
	}
	return Number(math.Sqrt(sum / float64(len(v)-1)))
}

// farOut is how many times the median distance from the median a value is away
// that is an outlier, as hyperfine has it: ten standard deviations of a normal
// distribution.
const farOut = 14.826

// Outliers returns the places in v of values that something else has made than
// what made the others. NaNs are none.
func Outliers(v []Number) []int {
	middle := Median(v)
	distances := make([]Number, len(v))
	for i, x := range v {
		distances[i] = Number(math.Abs(float64(x - middle)))
	}
	typical := Median(distances)
	var places []int
	for i, d := range distances {
		if typical > 0 && d > farOut*typical {
			places = append(places, i)
		}
	}
	return places
}
