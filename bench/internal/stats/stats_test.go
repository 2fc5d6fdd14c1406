package stats

import (
	"encoding/json"
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

// TestInterval uses the ranks that tables of the sign test give for 95 %.
func TestInterval(t *testing.T) {
	for _, test := range []struct{ n, lo, hi int }{
		{1, 1, 1}, {5, 1, 5}, {6, 1, 6}, {9, 2, 8}, {12, 3, 10}, {16, 4, 13}, {20, 6, 15},
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

func TestNumberJSON(t *testing.T) {
	text, err := json.Marshal([]Number{1.23456789, NaN, 0})
	if want := "[1.23457,null,0]"; err != nil || string(text) != want {
		t.Errorf("Marshal = %s, %v; want %s", text, err, want)
	}
}
