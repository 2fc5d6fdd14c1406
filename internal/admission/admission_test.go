package admission

import (
	"os"
	"strings"
	"testing"
)

// The table of docs/decisions/0002-paths.md is what Decide does.
func TestDecide(t *testing.T) {
	b, err := os.ReadFile("../../docs/decisions/0002-paths.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(b), "| the driver can queue it |")
	if !found {
		t.Fatal("there is no table")
	}
	either := func(cell string) []bool {
		return map[string][]bool{"yes": {true}, "no": {false}, "any": {true, false}}[cell]
	}
	paths := map[string]Path{
		"plain call, when there is a permit": Waits, "queued": Queued, "plain call if a permit is free, else queued": Plain,
	}
	seen := 0
	for _, line := range strings.Split(rest, "\n")[2:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		want, known := paths[cells[3]]
		if !known {
			t.Fatalf("%q is no path", cells[3])
		}
		for _, canQueue := range either(cells[0]) {
			for _, ends := range either(cells[1]) {
				for _, room := range either(cells[2]) {
					seen++
					if got := Decide(Operation{canQueue, ends}, room); got != want {
						t.Errorf("%s: Decide = %d; want %d", line, got, want)
					}
				}
			}
		}
	}
	if seen != 8 {
		t.Errorf("the table has %d of 8 cases", seen)
	}
}
