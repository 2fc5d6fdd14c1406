// Package outcomes reads and compares the results of tests by name. The tests of a program are
// run twice: as it is, and with sluice.
package outcomes

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Differences returns the names of the tests whose outcomes in a and b differ, sorted. A test
// that is in one of the two alone differs.
func Differences[M ~map[string]string](a, b M) (names []string) {
	for name := range a {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Or returns the text of an outcome: "not run" if there is none.
func Or(outcome string) string {
	if outcome == "" {
		return "not run"
	}
	return outcome
}

// Run is what go test -json says of a run.
type Run struct {
	// Outcomes are pass, fail or skip, by the package's path, a space, and the test's name. The
	// path alone is the package as a whole.
	Outcomes map[string]string
	// Said is the output of tests, by the same names.
	Said map[string]string
	// Broken are the packages whose tests do not build.
	Broken []string
	// Build is the output of builds that have failed.
	Build string
}

// Count returns how many tests have the outcome. Packages are not counted.
func (r *Run) Count(outcome string) int {
	n := 0
	for name, came := range r.Outcomes {
		if came == outcome && strings.Contains(name, " ") {
			n++
		}
	}
	return n
}

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

// mostSaid is how much output of a test is kept.
const mostSaid = 64 << 10 // 64 KiB

// Read reads the output of go test -json until its end. It calls done after each package. Lines
// that are no events, such as what a test binary writes to its standard output when it has no
// newline before, are skipped.
func Read(from io.Reader, done func(r *Run)) (*Run, error) {
	r := &Run{Outcomes: make(map[string]string), Said: make(map[string]string)}
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if len(line) > 0 && json.Unmarshal(line, &e) == nil && r.add(e) {
			done(r)
		}
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the output of go test: %w", err)
		}
	}
}

// add takes an event, and reports whether it is the last one of a package.
func (r *Run) add(e event) (last bool) {
	name := e.Package
	if e.Test != "" {
		name += " " + e.Test
	}
	switch e.Action {
	case "build-output":
		if len(r.Build) < mostSaid {
			r.Build += e.Output
		}
	case "output":
		if len(r.Said[name]) < mostSaid {
			r.Said[name] += e.Output
		}
	case "pass", "fail", "skip":
		r.Outcomes[name] = e.Action
		if e.FailedBuild != "" {
			r.Broken = append(r.Broken, e.Package)
		}
		return e.Test == ""
	}
	return false
}
