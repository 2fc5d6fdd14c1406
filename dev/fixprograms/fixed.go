package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// fixed is the output of `sluice fix` about a program.
type fixed struct {
	Calls  int      `json:"calls"` // changed ones, as the next two
	Types  int      `json:"types"`
	Files  int      `json:"files"`
	Stay   int      `json:"stay"`   // calls that stay
	Said   []string `json:"said"`   // the lines about these calls, and the notes
	Before [3]int   `json:"before"` // tests that passed, failed and were skipped
	After  [3]int   `json:"after"`
	Flaky  []string `json:"flaky,omitempty"` // the lines about tests
	Alone  []string `json:"alone,omitempty"`
	Differ []string `json:"differ,omitempty"`
}

// fix rewrites the program.
func (w *workplace) fix(ctx context.Context, tree string, args ...string) (*fixed, error) {
	out, err := command(ctx, tree, w.sluice, append([]string{"fix"}, args...)...)
	if err != nil && !strings.HasPrefix(out, differing) {
		return nil, err
	}
	return readFixed(out)
}

// The beginnings of lines of `sluice fix -verify`.
const (
	differing = "differs: "
	unsteady  = "flaky before the change, and not compared: "
	clocked   = "differs after the change, but not when it runs alone: "
)

// others matches the other numbers, which are not printed if they are 0.
const others = `(?:, ([0-9]+) failed)?(?:, ([0-9]+) skipped)?`

var (
	changed  = regexp.MustCompile(`^changed ([0-9]+) calls? and ([0-9]+) types? in ([0-9]+) files?$`)
	verified = regexp.MustCompile(`^verified: ([0-9]+) tests? passed` + others + ` before the change; ([0-9]+) passed` + others + ` after it$`)
	staying  = regexp.MustCompile(`^(.+?)(?: and ([0-9]+) more)? stays?: `)
)

// readFixed parses the output of `sluice fix`.
func readFixed(text string) (*fixed, error) {
	f := new(fixed)
	if strings.HasPrefix(text, differing) {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, differing) {
				f.Differ = append(f.Differ, strings.TrimSpace(line[len(differing):]))
			}
		}
		return f, nil
	}
	first, rest, _ := strings.Cut(text, "\n")
	if m := changed.FindStringSubmatch(first); m != nil {
		if err := numbers(m[1:], &f.Calls, &f.Types, &f.Files); err != nil {
			return nil, err
		}
	} else if first != "nothing to change" {
		return nil, fmt.Errorf("sluice fix prints %q; want what it has changed", first)
	}
	for line := range strings.Lines(rest) {
		if err := f.read(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// read reads a line behind the first one.
func (f *fixed) read(line string) error {
	switch m := verified.FindStringSubmatch(line); {
	case m != nil:
		return numbers(m[1:], &f.Before[0], &f.Before[1], &f.Before[2], &f.After[0], &f.After[1], &f.After[2])
	case strings.HasPrefix(line, "next: ") || strings.HasPrefix(line, "note: go.mod takes package sluice from "):
		return nil
	case strings.HasPrefix(line, unsteady):
		f.Flaky = append(f.Flaky, line[len(unsteady):])
		return nil
	case strings.HasPrefix(line, clocked):
		f.Alone = append(f.Alone, line[len(clocked):])
		return nil
	case !strings.HasPrefix(line, "note: "):
		n, err := countStaying(line)
		if err != nil {
			return err
		}
		f.Stay += n
	}
	f.Said = append(f.Said, line)
	return nil
}

// numbers sets numbers to what texts say. An empty text is 0.
func numbers(texts []string, to ...*int) (err error) {
	for i, n := range to {
		if *n, err = strconv.Atoi(cmp.Or(texts[i], "0")); err != nil {
			return err
		}
	}
	return nil
}

// countStaying returns how many calls a line says to stay. It names the first few.
func countStaying(line string) (int, error) {
	m := staying.FindStringSubmatch(line)
	if m == nil {
		return 0, fmt.Errorf("sluice fix prints %q; want the calls that stay", line)
	}
	n := strings.Count(m[1], ", ") + 1
	if m[2] == "" {
		return n, nil
	}
	more, err := strconv.Atoi(m[2])
	return n + more, err
}
