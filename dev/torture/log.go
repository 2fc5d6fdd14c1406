package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The states of a run.
const (
	passed  = "passed"
	failed  = "FAILED"
	skipped = "skipped"
)

// record is a run that was made.
type record struct {
	cell   string
	seed   uint64
	state  string
	figure int64 // the amount of work, in units
	unit   string
	took   time.Duration
	at     time.Time
	commit string
	why    string // why it was skipped
}

func (r record) String() string {
	if r.state == skipped {
		return "skipped: " + r.why
	}
	return fmt.Sprintf("%s, %s %s in %.0f s", r.state, thousands(r.figure), r.unit, r.took.Seconds())
}

// line returns the record as a line of fields separated by tabs.
func (r record) line() string {
	return strings.Join([]string{
		r.cell, strconv.FormatUint(r.seed, 10), r.state, strconv.FormatInt(r.figure, 10), r.unit,
		r.took.Round(time.Millisecond).String(), r.at.Format(time.RFC3339), r.commit, strings.ReplaceAll(r.why, "\t", " "),
	}, "\t") + "\n"
}

func parseRecord(line string) (r record, err error) {
	w := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	if len(w) != 9 {
		return r, fmt.Errorf("%d fields; want 9", len(w))
	}
	var errs [4]error
	r = record{cell: w[0], state: w[2], unit: w[4], commit: w[7], why: w[8]}
	r.seed, errs[0] = strconv.ParseUint(w[1], 10, 64)
	r.figure, errs[1] = strconv.ParseInt(w[3], 10, 64)
	r.took, errs[2] = time.ParseDuration(w[5])
	r.at, errs[3] = time.Parse(time.RFC3339, w[6])
	return r, errors.Join(errs[:]...)
}

// log has the runs of a family, in memory and in a file.
type log struct {
	file    *os.File
	records []record
}

func openLog(name string, again bool) (*log, error) {
	flag := os.O_RDWR | os.O_CREATE | os.O_APPEND
	if again {
		flag |= os.O_TRUNC
	}
	f, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	l := &log{file: f}
	for line := range strings.Lines(string(text)) {
		r, err := parseRecord(line)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s, %q: %w: remove the line, or use -again", name, line, err), f.Close())
		}
		l.records = append(l.records, r)
	}
	return l, nil
}

func (l *log) close() error { return l.file.Close() }

func (l *log) add(r record) error {
	l.records = append(l.records, r)
	_, err := l.file.WriteString(r.line())
	return err
}

// done reports whether a run has passed. Failed and skipped runs are repeated.
func (l *log) done(cell string, seed uint64) bool {
	return slices.ContainsFunc(l.records, func(r record) bool {
		return r.cell == cell && r.seed == seed && r.state == passed
	})
}

// latest returns the last record of each seed of a cell.
func (l *log) latest(cell string) []record {
	var all []record
	for _, r := range l.records {
		if r.cell != cell {
			continue
		}
		all = slices.DeleteFunc(all, func(o record) bool { return o.seed == r.seed })
		all = append(all, r)
	}
	return all
}

// failed reports whether the last run of any seed of a family's cells has failed.
func (l *log) failed(f family) bool {
	return slices.ContainsFunc(f.cells, func(c cell) bool {
		return slices.ContainsFunc(l.latest(c.name), func(r record) bool { return r.state == failed })
	})
}

// print prints the figure of each cell.
func (l *log) print(w io.Writer, f family) {
	for _, c := range f.cells {
		var figure int64
		var took time.Duration
		n := make(map[string]int)
		var last record
		var wrong []string
		for _, r := range l.latest(c.name) {
			n[r.state]++
			if r.state == failed {
				wrong = append(wrong, strconv.FormatUint(r.seed, 10))
			}
			if r.state != skipped {
				figure, took = figure+r.figure, took+r.took
			}
			last = r
		}
		switch {
		case len(n) == 0:
			fmt.Fprintf(w, "%s, %s: nothing yet\n", f.name, c.name)
		case n[passed]+n[failed] == 0:
			fmt.Fprintf(w, "%s, %s: skipped: %s\n", f.name, c.name, last.why)
		default:
			fmt.Fprintf(w, "%s, %s: %s %s, %d seeds passed (of %d of a full run), %d failed, %.0f s, commit %s, %s\n", f.name, c.name,
				thousands(figure), last.unit, n[passed], c.runs, n[failed], took.Seconds(), last.commit, last.at.Format(time.DateOnly))
		}
		if len(wrong) > 0 {
			fmt.Fprintf(w, "  failed: seed %s\n", strings.Join(wrong, ", "))
		}
	}
}

// thousands prints a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
