package stats

import (
	"encoding/json"
	"testing"
)

func TestBootstrapRatio(t *testing.T) {
	flat := []Number{2, 2, 2, 2, 2, 2}
	wide := []Number{1, 2, 3, 4, 5, 6, 7, 8}
	if lo, hi := BootstrapRatio(flat, []Number{3, 3, NaN, 3}); lo != 1.5 || hi != 1.5 {
		t.Errorf("of values without a spread it is %v to %v; want 1.5 to 1.5", lo, hi)
	}
	lo, hi := BootstrapRatio(flat, wide)
	if lo >= 2.25 || hi <= 2.25 || lo < 0.5 || hi > 4 {
		t.Errorf("interval is %v to %v; want bounds on both sides of 2.25, within the values", lo, hi)
	}
	if again, _ := BootstrapRatio(flat, wide); again != lo {
		t.Errorf("a second call gives %v; want %v again", again, lo)
	}
	for _, v := range [][]Number{nil, {NaN}} {
		if lo, hi := BootstrapRatio(v, flat); !lo.IsNaN() || !hi.IsNaN() {
			t.Errorf("without values it is %v to %v; want NaN", lo, hi)
		}
	}
	if lo, _ := BootstrapRatio([]Number{0, 0}, flat); !lo.IsNaN() {
		t.Errorf("with a base of 0 it is %v; want NaN", lo)
	}
}

func TestNumberThroughJSON(t *testing.T) {
	var got []Number
	if err := json.Unmarshal([]byte(`[null, 1.5]`), &got); err != nil {
		t.Fatal(err)
	}
	if !got[0].IsNaN() || got[1] != 1.5 {
		t.Errorf("null, 1.5 are read as %v; want NaN, 1.5", got)
	}
	if err := json.Unmarshal([]byte(`["x"]`), &got); err == nil {
		t.Error("a string is read as a Number")
	}
}
