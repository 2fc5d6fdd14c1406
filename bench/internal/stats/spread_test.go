package stats

import (
	"math"
	"slices"
	"testing"
)

func TestSpread(t *testing.T) {
	v := []Number{2, 4, NaN, 4, 4, 5, 5, 7, 9}
	if got := Mean(v); got != 5 {
		t.Errorf("Mean = %v; want 5", got)
	}
	if got, want := float64(Deviation(v)), math.Sqrt(32.0/7); math.Abs(got-want) > 1e-12 {
		t.Errorf("Deviation = %v; want %v", got, want)
	}
	if !Mean(nil).IsNaN() || !Deviation([]Number{1, NaN}).IsNaN() {
		t.Error("there is a mean of nothing, or a deviation of one value; want NaN")
	}
}

func TestOutliers(t *testing.T) {
	if got := Outliers([]Number{1.00, 1.02, 0.99, 3.00, 1.01, NaN}); !slices.Equal(got, []int{3}) {
		t.Errorf("Outliers = %v; want the fourth", got)
	}
	// Equal values have no typical distance.
	for _, v := range [][]Number{nil, {1}, {1, 1, 1, 5}, {1, 1.1, 1.2, 1.3}} {
		if got := Outliers(v); len(got) > 0 {
			t.Errorf("Outliers(%v) = %v; want none", v, got)
		}
	}
}

func TestBootstrapMedian(t *testing.T) {
	v := []Number{1.9, 2.0, 2.1, 2.2, 1.8, NaN, 2.05}
	lo, hi := BootstrapMedian(v)
	if lo < 1.8 || hi > 2.2 || lo >= Median(v) || hi <= Median(v) {
		t.Errorf("interval is %v to %v; want bounds on both sides of the median, within the values", lo, hi)
	}
	if again, _ := BootstrapMedian(v); again != lo {
		t.Errorf("a second call gives %v; want %v again", again, lo)
	}
	if lo, hi := BootstrapMedian([]Number{2, NaN}); !lo.IsNaN() || !hi.IsNaN() {
		t.Errorf("of one value it is %v to %v; want NaN", lo, hi)
	}
	if lo, hi := BootstrapMedian([]Number{2, 2}); lo != 2 || hi != 2 {
		t.Errorf("of equal values it is %v to %v; want them", lo, hi)
	}
}
