package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/bench/outcomes"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/internal/stress"
)

// print prints the tests that differ, and the counts.
func (t *stressTest) print(w io.Writer, r *stressResult) error {
	var text strings.Builder
	for _, name := range r.differ {
		runs := "in one of two runs"
		if slices.Contains(r.again, name) {
			runs = "in both runs"
		}
		fmt.Fprintf(&text, "differs: %s: %s stock, %s under stress, %s with seed %d\n", name,
			outcomes.Or(r.stock.Outcomes[name]), outcomes.Or(r.stress.Outcomes[name]), runs, t.seed)
		lines := slices.Collect(strings.Lines(r.stress.Said[name]))
		for _, line := range lines[max(0, len(lines)-mostOutput):] {
			text.WriteString("    " + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	for _, name := range r.flaky {
		fmt.Fprintf(&text, "flaky without stress, and not compared: %s\n", name)
	}
	for _, side := range []struct {
		name string
		run  *outcomes.Run
	}{{"stock", r.stock}, {"stress", r.stress}} {
		fmt.Fprintf(&text, "%-7s %s passed, %d failed, %s skipped\n", side.name+":",
			number(side.run.Count("pass"), "test", "tests"), side.run.Count("fail"), number(side.run.Count("skip"), "was", "were"))
	}
	t.printCounts(&text, r.counts)
	fmt.Fprintf(&text, "repeat with: %s\n", t.again(r.differ))
	_, err := io.WriteString(w, report.PrintableLines(text.String()))
	return err
}

// printCounts prints the operations of each package, and of all.
func (t *stressTest) printCounts(text *strings.Builder, all []stress.Counts) {
	var sum stress.Counts
	of := make(map[string]*stress.Counts)
	for _, c := range all {
		sum.Add(c)
		name := t.packageAt(c.Dir)
		if of[name] == nil {
			of[name] = new(stress.Counts)
		}
		of[name].Add(c)
	}
	if len(of) > 1 {
		for _, p := range t.built.overlay.Named {
			if c := of[p.ImportPath]; c != nil {
				fmt.Fprintf(text, "  %s: %v\n", p.ImportPath, c)
			}
		}
		if c := of[""]; c != nil {
			fmt.Fprintf(text, "  programs in other directories: %v\n", c)
		}
	}
	fmt.Fprintf(text, "operations: %v\n", sum)
	switch {
	case len(all) == 0:
		text.WriteString("note: no test binary has reported what it did: there are no tests, all ended early, or SLUICE_DRIVER=off\n")
	case sum.Queued == 0:
		text.WriteString("note: nothing was queued, so these tests say little: they read no files, or the driver queues no reads (sluice doctor)\n")
	}
}

// packageAt returns the import path of the package in a directory, or "" if none was tested there.
func (t *stressTest) packageAt(dir string) string {
	for _, p := range t.built.overlay.Named {
		if p.Dir == dir {
			return p.ImportPath
		}
	}
	return ""
}

// again returns the command line that repeats the run, for the tests that differ if there are any.
func (t *stressTest) again(differ []string) string {
	words := []string{"sluice", "test", "--stress", fmt.Sprintf("--seed=%d", t.seed)}
	if t.shortReads {
		words = append(words, "--"+stress.ShortReads)
	}
	flags, packages := t.line.Flags, t.line.Packages
	if len(differ) > 0 {
		var pattern string
		if packages, pattern = testsOf(differ); pattern != "" {
			flags = slices.DeleteFunc(slices.Clone(flags), func(flag string) bool { return strings.HasPrefix(flag, "-run=") })
			flags = append(flags, "-run="+pattern)
		}
	}
	words = append(words, slices.Concat(flags, packages)...)
	if t.line.Dir != "" {
		words = slices.Insert(words, 2, "-C="+t.line.Dir)
	}
	if len(t.line.Rest) > 0 {
		words = append(append(words, "-args"), t.line.Rest...)
	}
	for i, word := range words {
		if strings.ContainsAny(word, " '\"$()|^*?&;<>") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
