package verify

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/outcomes"
)

// suite is how the tests are run.
type suite struct {
	dir   string
	env   []string
	flags []string // of go test, and packages
	rest  []string // of the test binaries
}

// run runs the tests. Tests that fail are no error.
func (s suite) run(ctx context.Context, progress func(r *outcomes.Run)) (*outcomes.Run, error) {
	args := slices.Concat([]string{"test", "-json", "-count=1"}, s.flags)
	if len(s.rest) > 0 {
		args = append(append(args, "-args"), s.rest...)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	cmd.WaitDelay = 10 * time.Second // a test may leave a process behind
	endWithGroup(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("go test: %w", err)
	}
	r, err := outcomes.Read(out, progress)
	failed := cmd.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	if failed != nil && len(r.Outcomes) == 0 {
		return nil, fmt.Errorf("go test: %w: %s", failed, lastLines(stderr.String()+r.Build, 3))
	}
	return r, nil
}

// unsteady are the tests whose results differ from run to run without a change.
type unsteady struct {
	names   map[string]bool
	parents map[string]bool // of tests that are not in each run: their names change
}

// unsteadyTests compares two runs without a change between them.
func unsteadyTests(a, b *outcomes.Run) unsteady {
	u := unsteady{names: make(map[string]bool), parents: make(map[string]bool)}
	for _, name := range outcomes.Differences(a.Outcomes, b.Outcomes) {
		u.names[name] = true
		if a.Outcomes[name] == "" || b.Outcomes[name] == "" {
			if parent := parentOf(name); parent != "" {
				u.parents[parent] = true
			}
		}
	}
	return u
}

// parentOf returns the name of the test that has the subtest name, "" if there is none.
func parentOf(name string) string {
	pkg, test, ok := strings.Cut(name, " ")
	i := strings.LastIndexByte(test, '/')
	if !ok || i < 0 {
		return ""
	}
	return pkg + " " + test[:i]
}

// holds reports whether a difference between before and after counts. A new test does not count
// if it is beside tests whose names change in each run: if it fails, so does the test around it.
func (u unsteady) holds(name string, before *outcomes.Run) bool {
	if u.names[name] {
		return false
	}
	for ; name != "" && before.Outcomes[name] == ""; name = parentOf(name) {
		if u.parents[parentOf(name)] {
			return false
		}
	}
	return true
}

// pattern returns the regular expression of go test -run for tests and the tests that have them as
// subtests. The name of a package alone has no test, and matches nothing.
func pattern(names []string) string {
	var tests []string
	for _, name := range names {
		if test := topOf(name); test != "" {
			tests = append(tests, regexp.QuoteMeta(test))
		}
	}
	slices.Sort(tests)
	return "^(" + strings.Join(slices.Compact(tests), "|") + ")$"
}

// topOf returns the function of a test or subtest, "" for a package.
func topOf(name string) string {
	_, test, _ := strings.Cut(name, " ")
	test, _, _ = strings.Cut(test, "/")
	return test
}

// among returns what a run has of the tests that pattern matches.
func among(r *outcomes.Run, names []string) *outcomes.Run {
	part := &outcomes.Run{Outcomes: make(map[string]string)}
	tops := make(map[string]bool)
	for _, name := range names {
		tops[topOf(name)] = true
	}
	for name, outcome := range r.Outcomes {
		if top := topOf(name); top != "" && tops[top] {
			part.Outcomes[name] = outcome
		}
	}
	return part
}

// lastLines returns the last n lines of a text in one.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line) // the go command indents some
	}
	return strings.Join(lines, "; ")
}
