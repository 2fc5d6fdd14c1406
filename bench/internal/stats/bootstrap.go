package stats

import (
	"math/rand/v2"
	"slices"
)

// resamples is the number of draws of a bootstrap. Its bounds are the 50th values from each end.
const resamples = 2000

// BootstrapRatio returns the 95 % interval of the ratio of b's median to a's, for two runs without
// common rounds. It repeatedly draws as many values as there are from a and from b, with
// replacement; the interval has the middle 95 % of the ratios. It only reflects variation within
// the runs. Equal values give equal bounds. NaNs are ignored.
func BootstrapRatio(a, b []Number) (lo, hi Number) {
	a, b = present(a), present(b)
	if len(a) == 0 || len(b) == 0 {
		return NaN, NaN
	}
	random := rand.New(rand.NewPCG(1, 2)) // a fixed seed gives the same report each time
	ratios := make([]Number, 0, resamples)
	for range resamples {
		if base := Median(draw(random, a)); base != 0 {
			ratios = append(ratios, Median(draw(random, b))/base)
		}
	}
	if len(ratios) == 0 {
		return NaN, NaN
	}
	slices.Sort(ratios)
	cut := len(ratios) / 40 // 2.5 %
	return ratios[cut], ratios[len(ratios)-1-cut]
}

func draw(random *rand.Rand, v []Number) []Number {
	drawn := make([]Number, len(v))
	for i := range drawn {
		drawn[i] = v[random.IntN(len(v))]
	}
	return drawn
}

// BootstrapMedian returns the 95 % interval of the median of v by the method of BootstrapRatio. For
// ratios formed within rounds it is the interval of a paired comparison. A single value has no
// interval: both bounds are NaN.
func BootstrapMedian(v []Number) (lo, hi Number) {
	v = present(v)
	if len(v) < 2 {
		return NaN, NaN
	}
	random := rand.New(rand.NewPCG(1, 2))
	medians := make([]Number, resamples)
	for i := range medians {
		medians[i] = Median(draw(random, v))
	}
	slices.Sort(medians)
	cut := len(medians) / 40 // 2.5 %
	return medians[cut], medians[len(medians)-1-cut]
}
