package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// fixed is the output of `sluice fix` about a program.
type fixed struct {
	calls, types, files int      // numbers of changed ones
	stay                int      // calls that stay
	said                []string // the lines about staying calls, and the notes
}

// fix rewrites the program.
func (w *workplace) fix(ctx context.Context, tree string) (*fixed, error) {
	out, err := command(ctx, tree, w.sluice, "fix", "./...")
	if err != nil {
		return nil, err
	}
	return readFixed(out)
}

var (
	changed = regexp.MustCompile(`^changed ([0-9]+) calls? and ([0-9]+) types? in ([0-9]+) files?$`)
	staying = regexp.MustCompile(`^(.+?)(?: and ([0-9]+) more)? stays?: `)
)

// readFixed parses the output of `sluice fix`.
func readFixed(text string) (*fixed, error) {
	first, rest, _ := strings.Cut(text, "\n")
	f := new(fixed)
	if m := changed.FindStringSubmatch(first); m != nil {
		for i, n := range []*int{&f.calls, &f.types, &f.files} {
			var err error
			if *n, err = strconv.Atoi(m[1+i]); err != nil {
				return nil, err
			}
		}
	} else if first != "nothing to change" {
		return nil, fmt.Errorf("sluice fix prints %q; want what it has changed", first)
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "next: "):
			continue
		case !strings.HasPrefix(line, "note: "):
			n, err := countStaying(line)
			if err != nil {
				return nil, err
			}
			f.stay += n
		}
		f.said = append(f.said, line)
	}
	return f, nil
}

// countStaying returns the number of staying calls in a line. The line names the first few.
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
