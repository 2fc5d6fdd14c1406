package experiments

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// Pattern selects cells of the matrix. It has the form kind/size/goroutines. Each part is a list of
// names or globs, separated by commas. An empty or missing part matches everything. In a kind,
// +work stands for each amount of work.
type Pattern struct {
	text  string
	parts [3][]string // kind, size, goroutines; nil matches everything
}

// partNames are the names of a Pattern's parts, in messages.
var partNames = [3]string{"kind", "size", "number of goroutines"}

// ParsePattern parses a pattern such as read-direct/4k/64, read-*/4k or write-sync//1,8. Each name
// in it must be a cell's.
func ParsePattern(text string, cells []load.Load) (Pattern, error) {
	p := Pattern{text: text}
	parts := strings.Split(strings.ToLower(text), "/")
	if text == "" || len(parts) > len(p.parts) {
		return p, fmt.Errorf("--cells %q: want kind/size/goroutines, as in read-direct/4k/64 (for other cells repeat --cells)", text)
	}
	left := slices.Clone(cells) // the cells that the parts so far match
	for i, part := range parts {
		if part == "" {
			continue
		}
		p.parts[i] = strings.Split(strings.ReplaceAll(part, "+work", "+*us"), ",")
		for _, glob := range p.parts[i] {
			if err := p.checkGlob(i, glob, left); err != nil {
				return p, err
			}
		}
		left = slices.DeleteFunc(left, func(l load.Load) bool { return !p.Match(l) })
	}
	return p, nil
}

// checkGlob returns an error if the glob of part i matches no cell.
func (p Pattern) checkGlob(i int, glob string, cells []load.Load) error {
	if _, err := path.Match(glob, ""); err != nil {
		return fmt.Errorf("--cells %q: %q is not a valid pattern", p.text, glob)
	}
	var names []string
	for _, l := range cells {
		name := nameParts(l)[i]
		if ok, _ := path.Match(glob, name); ok {
			return nil
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	of := ""
	if i > 0 {
		of = " of these cells"
	}
	return fmt.Errorf("--cells %q: no %s%s is %q; there are %s", p.text, partNames[i], of, glob, strings.Join(names, ", "))
}

// nameParts returns the parts of a cell's name that a Pattern matches.
func nameParts(l load.Load) [3]string {
	return [3]string{string(l.Kind), load.SizeName(l.Size), strconv.Itoa(l.Goroutines)}
}

// Match reports whether the pattern selects the cell.
func (p Pattern) Match(l load.Load) bool {
	names := nameParts(l)
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
