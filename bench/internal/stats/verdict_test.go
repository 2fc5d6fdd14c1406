package stats

import "testing"

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		low, ratio, high Number
		rounds           int
		want             Verdict
	}{
		{1.01, 1.5, 2, 6, Ahead},
		{0.5, 0.8, 0.99, 6, Behind},
		{0.9701, 1, 1.0299, 6, Level},
		{1, 1.02, 1.04, 6, Level},
		{0.96, 0.98, 1, 6, Level},
		{1.0001, 1.02, 1.04, 6, Ahead},
		{0.96, 0.98, 0.9999, 6, Behind},
		{0.9699, 1, 1.0302, 6, Unclear},
		{0.5, 1, 2, 6, Unclear},
		{1.01, 1.5, 2, 5, Unclear},
		{0.5, 0.8, 0.99, 5, Unclear},
		{1, 1, 1, 5, Unclear},
		{NaN, NaN, NaN, 12, Unclear},
	} {
		if got := Judge(test.ratio, test.low, test.high, test.rounds); got != test.want {
			t.Errorf("Judge(%v, %v to %v, %d rounds) = %q; want %q", test.ratio, test.low, test.high, test.rounds, got, test.want)
		}
	}
	for v, want := range map[Verdict]Verdict{Ahead: Behind, Behind: Ahead, Level: Level, Unclear: Unclear} {
		if got := v.Inverse(); got != want {
			t.Errorf("%q.Inverse() = %q; want %q", v, got, want)
		}
	}
}
