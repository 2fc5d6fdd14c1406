package experiments

import (
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	for _, test := range []struct {
		text string
		want int // cells of the 126
	}{
		{"read-direct/4k/64", 1},
		{"READ-DIRECT/4K/64", 1},
		{"read-direct", 21},
		{"read-direct/4k", 7},
		{"*", 126},
		{"*/*/1", 18},
		{"//256", 18},
		{"read-*/4k,1m/1,64", 12},
		{"write-sync//8", 3},
	} {
		p, err := ParsePattern(test.text)
		if err != nil {
			t.Errorf("ParsePattern(%q) = %v", test.text, err)
			continue
		}
		if got := len(Params{Cells: []Pattern{p}}.cells()); got != test.want {
			t.Errorf("%q selects %d cells; want %d", test.text, got, test.want)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "want kind/size/goroutines",
		"read-direct/4k/64/1": "want kind/size/goroutines",
		"read-[":              "not a valid pattern",
		"read-backwards":      "match none of the matrix",
		"read-direct/8k":      "match none of the matrix",
	} {
		if _, err := ParsePattern(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParsePattern(%q) = %v; want something with %q", text, err, want)
		}
	}
}

func TestCells(t *testing.T) {
	if n := len((Params{Full: true}).cells()); n != 126 {
		t.Errorf("the whole matrix has %d cells; want 126", n)
	}
	all := make(map[string]bool)
	for _, l := range allCells() {
		all[l.String()] = true
	}
	seen := make(map[string]bool)
	for _, l := range (Params{}).cells() {
		if !all[l.String()] || seen[l.String()] {
			t.Errorf("%s is twice in the selection, or not in the matrix", l)
		}
		seen[l.String()] = true
	}
}
