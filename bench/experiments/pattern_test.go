package experiments

import (
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

func TestPattern(t *testing.T) {
	for _, test := range []struct {
		text string
		want int // the number of cells
	}{
		{"read-direct/4k/64", 1},
		{"READ-DIRECT/4K/64", 1},
		{"read-direct", 21},
		{"read-direct/4k", 7},
		{"*", len(allCells())},
		// Write-logs, the busy kinds and the cached one have only 4k.
		{"read-cached,write-*/4k,64k/1", 8 + 4},
		{"read-direct+work", 7 + 7 + 2},
		{"read-*+work//64", 4},
		{"*+busy//64", 4},
		{"read-cold*/4k/1", 4},
		{"write-sync//8", 3},
		{"sync-own,serve/4k/1,4", 4},
		{"//256", 30},
	} {
		p, err := ParsePattern(test.text, allCells())
		if err != nil {
			t.Errorf("ParsePattern(%q) = %v", test.text, err)
			continue
		}
		if got := len(Params{Cells: []Pattern{p}}.cells()); got != test.want {
			t.Errorf("%q selects %d cells; want %d", test.text, got, test.want)
		}
	}
}

// TestPebblePattern checks that a pattern selects from all cells of pebble, not only from its
// selection.
func TestPebblePattern(t *testing.T) {
	for text, want := range map[string]int{"*": 13, "pebble-get": 5, "pebble-get//16,64": 2, "pebble-scan/1m/4": 1, "pebble-get*//64": 2} {
		p, err := ParsePattern(text, Params{}.allPebbleLoads())
		if err != nil {
			t.Errorf("ParsePattern(%q) = %v", text, err)
			continue
		}
		if got := len(Params{Cells: []Pattern{p}}.pebbleCells()); got != want {
			t.Errorf("%q selects %d cells; want %d", text, got, want)
		}
	}
}

// TestPatternErrors checks that an error names the wrong part, and the valid names.
func TestPatternErrors(t *testing.T) {
	const kinds = "read-cached, read-cold, read-cold+2us, read-cold+6us, read-cold+busy, read-direct, read-direct+2us, read-direct+6us, " +
		"read-direct+busy, read-cold+50us, read-direct+50us, read-buffer, write-buffered, write-direct, write-sync, write-direct+hot, write-direct+busy, write-sync+busy, sync-own, write-logs, serve, start"
	for text, want := range map[string]string{
		"":                       `--cells "": want kind/size/goroutines, as in read-direct/4k/64 (for other cells repeat --cells)`,
		"read-direct/4k/64/1":    `--cells "read-direct/4k/64/1": want kind/size/goroutines, as in read-direct/4k/64 (for other cells repeat --cells)`,
		"read-[":                 `--cells "read-[": "read-[" is not a valid pattern`,
		"read-backwards":         `--cells "read-backwards": no kind is "read-backwards"; there are ` + kinds,
		"read-cold,red-direct":   `--cells "read-cold,red-direct": no kind is "red-direct"; there are ` + kinds,
		"read-direct/8k":         `--cells "read-direct/8k": no size of these cells is "8k"; there are 4k, 64k, 1m`,
		"sync-own/64k":           `--cells "sync-own/64k": no size of these cells is "64k"; there are 4k`,
		"serve/4k/1,256":         `--cells "serve/4k/1,256": no number of goroutines of these cells is "256"; there are 1, 4, 16, 64`,
		"read-direct/4k/1,\x1b[": `--cells "read-direct/4k/1,\x1b[": "\x1b[" is not a valid pattern`,
	} {
		if _, err := ParsePattern(text, allCells()); err == nil || err.Error() != want {
			t.Errorf("ParsePattern(%q) = %v; want %s", text, err, want)
		}
	}
}

func TestCells(t *testing.T) {
	all := make(map[string]bool)
	for _, l := range allCells() {
		if all[l.String()] {
			t.Errorf("%s is twice in the matrix", l)
		}
		all[l.String()] = true
	}
	kinds := map[load.Kind]bool{}
	seen := make(map[string]bool)
	for _, l := range (Params{}).cells() {
		if !all[l.String()] || seen[l.String()] {
			t.Errorf("%s is twice in the selection, or not in the matrix", l)
		}
		seen[l.String()] = true
		kinds[l.Kind] = true
	}
	for _, l := range allCells() {
		if !slices.Contains(load.Kinds, l.Kind) && l.Kind != load.Start {
			t.Errorf("%s is not of a kind of the matrix", l)
		}
	}
	for _, bare := range []load.Kind{load.ReadCached, load.ReadCold, load.ReadDirect, load.WriteBuffered, load.WriteDirect, load.WriteSync, load.SyncOwn, load.WriteLogs, load.ServeFile} {
		if !kinds[bare] {
			t.Errorf("no cell of the selection is of %s", bare)
		}
	}
}

// TestMostTime checks the times that the help promises for the matrix.
func TestMostTime(t *testing.T) {
	for _, test := range []struct {
		params Params
		want   time.Duration
	}{
		{Params{Brief: true}, 2 * time.Minute},
		{Params{Full: true}, 52 * time.Minute},
	} {
		most := time.Duration(0)
		for _, l := range test.params.cells() {
			_, limit := test.params.cellTimes(l.Kind)
			most += limit
		}
		if most > test.want {
			t.Errorf("the cells of %+v take up to %s; want %s at most", test.params, most, test.want)
		}
	}
}

// TestSelection checks that a run without names measures the matrix alone, and that the README's
// cells are in it.
func TestSelection(t *testing.T) {
	if len(Selection) != 1 || Selection[0].Name != "matrix" {
		t.Errorf("the selection has %d experiments; want the matrix alone", len(Selection))
	}
	var names []string
	for _, l := range (Params{Brief: true}).cells() {
		names = append(names, l.String())
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("bench matrix --cells ([^ `]+)").FindAllStringSubmatch(string(readme), -1)
	if len(commands) < 3 {
		t.Errorf("the README has %d commands with cells of the matrix; want 3 or more", len(commands))
	}
	for _, c := range commands {
		if !slices.Contains(names, c[1]) {
			t.Errorf("%s is not among the cells; want each of the README's", c[1])
		}
	}
}

// TestProcs checks the number and the order of cells with numbers of processors.
func TestProcs(t *testing.T) {
	one := []Pattern{mustParse(t, "read-direct/4k/1,2,4")}
	for _, test := range []struct {
		name   string
		params Params
		want   int
	}{
		{"selection", Params{CellProcs: []int{1, 4}}, 2 * len(quickCells)},
		{"cells", Params{CellProcs: []int{8, 2}, Cells: one}, 6},
		{"full", Params{Full: true}, len(allCells()) + 4*len(quickCells)},
		{"full, cells", Params{Full: true, Cells: one}, 3 + 4*2}, // the selection has two of them
		{"full, processors given", Params{Full: true, CellProcs: []int{2}}, len(allCells())},
	} {
		if got := len(test.params.cells()); got != test.want {
			t.Errorf("%s: %d cells; want %d", test.name, got, test.want)
		}
	}
	var names []string
	for _, l := range (Params{CellProcs: []int{8, 2}, Cells: one}).cells() {
		names = append(names, l.String())
	}
	want := []string{"read-direct/4k/1/p8", "read-direct/4k/2/p8", "read-direct/4k/4/p8", "read-direct/4k/1/p2", "read-direct/4k/2/p2", "read-direct/4k/4/p2"}
	if !slices.Equal(names, want) {
		t.Errorf("cells are %v; want %v", names, want)
	}
}
