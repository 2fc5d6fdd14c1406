package stats

import "math"

// Mean returns the mean of v, or NaN if v is empty. It ignores NaNs.
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

// Deviation returns the sample standard deviation of v (divided by n - 1), or NaN for fewer than
// two values. It ignores NaNs.
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

// farOut is the distance from the median, as a multiple of the median distance, beyond which a
// value is an outlier. As in hyperfine it is ten standard deviations of a normal distribution.
const farOut = 14.826

// Outliers returns the indices of values that are so far from the rest that they must have another
// cause. It ignores NaNs.
func Outliers(v []Number) []int {
	middle := Median(v)
	distances := make([]Number, len(v))
	for i, x := range v {
		distances[i] = Number(math.Abs(float64(x - middle)))
	}
	typical := Median(distances)
	var outliers []int
	for i, d := range distances {
		if typical > 0 && d > farOut*typical {
			outliers = append(outliers, i)
		}
	}
	return outliers
}
