package experiments

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// Pattern selects cells of the matrix. It is written kind/size/goroutines, where each part is a
// list of names or globs, separated by commas. A part that is empty or missing matches
// everything.
type Pattern struct {
	text  string
	parts [3][]string // kind, size, goroutines; nil matches everything
}

// ParsePattern parses a pattern such as read-direct/4k/64, read-*/4k or
// write-sync//1,8.
func ParsePattern(text string) (Pattern, error) {
	p := Pattern{text: text}
	parts := strings.Split(strings.ToLower(text), "/")
	if text == "" || len(parts) > len(p.parts) {
		return p, fmt.Errorf("cells %q: want kind/size/goroutines, as in read-direct/4k/64", text)
	}
	for i, part := range parts {
		if part == "" {
			continue
		}
		p.parts[i] = strings.Split(part, ",")
		for _, glob := range p.parts[i] {
			if _, err := path.Match(glob, ""); err != nil {
				return p, fmt.Errorf("cells %q: %q is not a valid pattern", text, glob)
			}
		}
	}
	if !slices.ContainsFunc(allCells(), p.Match) {
		return p, fmt.Errorf("cells %q match none of the matrix: kinds %s; sizes %s; goroutines %s",
			text, joined(load.Kinds), "4k 64k 1m", joined(matrixGoroutines))
	}
	return p, nil
}

// Match reports whether the pattern selects the cell.
func (p Pattern) Match(l load.Load) bool {
	names := [...]string{string(l.Kind), load.SizeName(l.Size), strconv.Itoa(l.Goroutines)}
	for i, globs := range p.parts {
		matches := func(glob string) bool {
			ok, _ := path.Match(glob, names[i]) // ParsePattern checked the glob
			return ok
		}
		if globs != nil && !slices.ContainsFunc(globs, matches) {
			return false
		}
	}
	return true
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

func joined[T any](v []T) string { return strings.Trim(fmt.Sprint(v), "[]") }
