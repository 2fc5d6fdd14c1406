package ioengine

import "testing"

// TestMoreThanMost: rings beyond the most leave with each window, whatever the leaders have found.
func TestMoreThanMost(t *testing.T) {
	for _, w := range []Window{tooMuch, waiting, neither, small, unknown} {
		var g Growth
		if got := g.Judge(w, 0, 3, 2, false); got != -1 {
			t.Errorf("%+v: Judge = %d with 3 rings of at most 2; want -1", w, got)
		}
	}
}
