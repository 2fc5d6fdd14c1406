package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/dev/kernels/guest"
)

// result is the result of a package's tests.
type result struct {
	guest.Result
	passed, failed, skipped int
	wrong                   []string       // the failed tests
	reasons                 map[string]int // the reasons of skipped tests, with their number
	output                  string
}

// ok reports whether no test failed.
func (r *result) ok() bool { return r.Status == 0 && r.failed == 0 }

// parse reads the output of a machine's programs. An error says that they did not finish; the
// results so far are returned with it.
func parse(text string) (all []*result, err error) {
	var now *result
	ready := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, guest.Begin):
			now = &result{Result: guest.Result{Name: line[len(guest.Begin):], Status: -1}}
			all = append(all, now)
		case strings.HasPrefix(line, guest.End) && now != nil:
			if err := json.Unmarshal([]byte(line[len(guest.End):]), &now.Result); err != nil {
				return all, fmt.Errorf("%s: %w", now.Name, err)
			}
			now.count()
			now = nil
		case line == guest.Ready:
			ready = true
		case now != nil:
			now.output += line + "\n"
		}
	}
	if now != nil {
		now.count()
		return all, fmt.Errorf("the machine stopped in %s", now.Name)
	}
	if !ready {
		return all, fmt.Errorf("the machine stopped after %d programs", len(all))
	}
	return all, nil
}

var (
	verdict = regexp.MustCompile(`\x16--- (PASS|FAIL|SKIP): (\S+)|^ *--- (PASS|FAIL|SKIP): (\S+)`)
	// Words that differ between tests: file names, addresses.
	ofOne = regexp.MustCompile(`\S*(/\S*[0-9]{3}|[0-9]{7})\S*`)
	said  = regexp.MustCompile(`^ +[a-z0-9_]+\.go:[0-9]+: (.*)$`)
)

// count reads the verdicts from the output. With -test.v a test's reason to skip itself precedes
// its verdict.
func (r *result) count() {
	r.reasons = make(map[string]int)
	why := ""
	for line := range strings.Lines(r.output) {
		line = strings.TrimRight(line, "\n")
		if m := said.FindStringSubmatch(line); m != nil {
			why = m[1]
		}
		m := verdict.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if m[1] == "" {
			m = m[2:]
		}
		switch m[1] {
		case "PASS":
			r.passed++
		case "FAIL":
			r.failed++
			r.wrong = append(r.wrong, m[2])
		case "SKIP":
			r.skipped++
			r.reasons[ofOne.ReplaceAllString(why, "…")]++
		}
	}
}

// String returns the counts.
func (r *result) String() string {
	s := fmt.Sprintf("%-36s %5d passed %3d failed %3d skipped, %.0f s", r.Name, r.passed, r.failed, r.skipped, r.Seconds)
	if r.failed == 0 && r.Status != 0 {
		s += fmt.Sprintf(", and failed as a whole: status %d %s", r.Status, r.Error)
	}
	return s
}

// report is the results of one kernel.
type report struct {
	system  string // the system that ran the tests
	results []*result
	err     error // the machine did not finish
}

// total adds the results.
func (r *report) total() (passed, failed, skipped int) {
	for _, one := range r.results {
		passed, failed, skipped = passed+one.passed, failed+one.failed, skipped+one.skipped
		if one.failed == 0 && !one.ok() {
			failed++
		}
	}
	return passed, failed, skipped
}

// print prints the counts of each package and of all, the failures, and the reasons of skipped
// tests.
func (r *report) print(w io.Writer) {
	fmt.Fprintln(w, r.system)
	reasons := make(map[string]int)
	for _, one := range r.results {
		fmt.Fprintln(w, " ", one)
		for _, name := range one.wrong {
			fmt.Fprintln(w, "    FAIL:", name)
		}
		for why, n := range one.reasons {
			reasons[why] += n
		}
	}
	passed, failed, skipped := r.total()
	fmt.Fprintf(w, "  all: %d passed, %d failed, %d skipped\n", passed, failed, skipped)
	for _, l := range left {
		fmt.Fprintf(w, "    left out: %s: they %s\n", strings.Join(l.tests, ", "), l.why)
	}
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(w, "    %d skipped: %s\n", reasons[why], why)
	}
	if r.err != nil {
		fmt.Fprintln(w, "  FAIL:", r.err)
	}
}
