package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		in   []Number
		want Number
	}{
		{nil, NaN},
		{[]Number{NaN}, NaN},
		{[]Number{3}, 3},
		{[]Number{9, 1, 5}, 5},
		{[]Number{4, 1, 3, 2}, 2.5},
		{[]Number{NaN, 7, NaN, 5}, 6},
	} {
		if got := Median(test.in); got != test.want && !(got.IsNaN() && test.want.IsNaN()) {
			t.Errorf("Median(%v) = %v; want %v", test.in, got, test.want)
		}
	}
}

func TestMedianLeavesItsArgument(t *testing.T) {
	v := []Number{3, 1, 2}
	Median(v)
	if v[0] != 3 || v[1] != 1 || v[2] != 2 {
		t.Errorf("Median changed its argument to %v", v)
	}
}

func TestRatios(t *testing.T) {
	got := Ratios([]Number{2, 3, 5}, []Number{4, 0})
	if len(got) != 2 || got[0] != 0.5 || !got[1].IsNaN() {
		t.Errorf("Ratios = %v; want [0.5 NaN]", got)
	}
}

// TestInterval has the ranks of tables of the sign test for 95 %. For large n it has the ranks of
// the normal approximation, n/2 - 0.98 sqrt(n).
func TestInterval(t *testing.T) {
	for _, test := range []struct{ n, lo, hi int }{
		{1, 1, 1}, {5, 1, 5}, {6, 1, 6}, {9, 2, 8}, {12, 3, 10}, {16, 4, 13}, {20, 6, 15}, {25, 8, 18}, {30, 10, 21}, {40, 14, 27}, {50, 18, 33}, {100, 40, 61}, {5000, 2431, 2570}, {1_000_000, 499_020, 500_981},
	} {
		v := make([]Number, test.n)
		for i := range v {
			v[i] = Number(test.n - i)
		}
		if lo, hi := Interval(v); lo != Number(test.lo) || hi != Number(test.hi) {
			t.Errorf("Interval(1 … %d) = %v, %v; want %d, %d", test.n, lo, hi, test.lo, test.hi)
		}
	}
	if lo, hi := Interval(nil); !lo.IsNaN() || !hi.IsNaN() {
		t.Errorf("Interval(nil) = %v, %v; want NaN, NaN", lo, hi)
	}
}

// TestIntervalHolds draws values whose median is known. The interval must contain it as often as
// promised. The draws are the same in each run.
func TestIntervalHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 12, 25, 60} {
		const trials = 4000
		held := 0
		for range trials {
			v := make([]Number, n)
			for i := range v {
				v[i] = Number(math.Exp(random.NormFloat64() / 10))
				if random.IntN(10) == 0 { // a disturbed round
					v[i] *= 3
				}
			}
			if lo, hi := Interval(v); lo <= medianOfDraws && hi >= medianOfDraws {
				held++
			}
		}
		if part := float64(held) / trials; part < 0.94 || part > 0.985 {
			t.Errorf("of %d values the interval holds the median in %.3f of all cases; want 0.95 or a little more", n, part)
		}
	}
}

// medianOfDraws is the median of TestIntervalHolds' values, at which 0.9 F(ln x / 0.1) + 0.1
// F(ln(x/3) / 0.1) is 1/2, with the normal distribution F. The second part is 0 there.
var medianOfDraws = Number(math.Exp(0.13971 / 10))

func TestWidth(t *testing.T) {
	if got := Width(0.97, 1, 1.03); math.Abs(float64(got)-0.03) > 1e-12 {
		t.Errorf("Width of 0.97 to 1.03 = %v; want 0.03", got)
	}
	if got := Width(1.8, 2, 2.2); math.Abs(float64(got)-0.1) > 1e-12 {
		t.Errorf("Width of 1.8 to 2.2 around 2 = %v; want 0.1", got)
	}
	if !Width(NaN, 1, NaN).IsNaN() {
		t.Error("without an interval there is a width; want NaN")
	}
}

func TestNumberJSON(t *testing.T) {
	text, err := json.Marshal([]Number{1.23456789, NaN, 0})
	if want := "[1.23457,null,0]"; err != nil || string(text) != want {
		t.Errorf("Marshal = %s, %v; want %s", text, err, want)
	}
}
