package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// writePage writes the page.
func writePage(w io.Writer, done []*outcome) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# fix: real programs, rewritten by sluice fix

| | |
|---|---|
| compares | the results of the tests of programs before and after, by `+"`sluice fix -verify`"+` |
| command | `+"`make fix-programs`"+` |
| machine | [the virtual machine](README.md#the-machine) |
| date | %s |

%s

| program | what it is | changed: calls, types, files | calls that stay | go.mod: go before, after | tests before: passed, failed, skipped | after | flaky |
|---|---|---|---|---|---|---|---|
`, dates(done), verdict(done))
	for _, o := range done {
		f := o.Fixed
		fmt.Fprintf(&b, "| %s | %s | %d, %d, %d | %d | %s | %s | %s | %d |\n", o.Module, o.what,
			f.Calls, f.Types, f.Files, f.Stay, o.Go, tests(f.Before), tests(f.After), len(f.Flaky))
	}
	first := true
	for _, o := range done {
		if o.test != "" {
			if first {
				b.WriteString("\nWhat is rewritten and tested, where that is not all:\n\n")
			}
			first = false
			tags := ""
			if o.tags != "" {
				tags = " -tags=" + o.tags
			}
			fmt.Fprintf(&b, "- %s: `sluice fix -verify%s -test=\"%s\" %s`; %s\n", o.name, tags, o.test, cmp.Or(o.patterns, "./..."), o.whole)
		}
	}
	b.WriteString("\n" + reading + "\n")
	writeFlaky(&b, done)
	b.WriteString("## What stays\n")
	for _, o := range done {
		fmt.Fprintf(&b, "\n%s:\n\n", o.name)
		if len(o.Fixed.Said) == 0 {
			b.WriteString("- nothing\n")
		}
		for _, line := range o.Fixed.Said {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const reading = `**How to read it.** Calls are those that open files, and ReadFile and WriteFile. Types are uses of the name os.File. Tests
are counted with their subtests. The module sluice needs a newer Go than most of these programs say in go.mod, and so
does the rewritten program: go get raises that line. The tests before are run with the line as it was.
A flaky test has two results in the two runs before the change, and is not compared. A test that differs after the
change runs again alone, on both sides: if these two results are equal, it is named below, and the change stays.

**Limits.** Two runs before the change and one after it, on a machine with other programs at work. Tests that pass show that nothing broke that they look at.
`

// writeFlaky names the tests that were not compared, and those that were compared alone.
func writeFlaky(b *strings.Builder, done []*outcome) {
	var flaky, alone []string
	for _, o := range done {
		flaky = append(flaky, o.Fixed.Flaky...)
		alone = append(alone, o.Fixed.Alone...)
	}
	writeList(b, "Flaky before the change", flaky)
	writeList(b, "Different after the change, but not when they run alone on both sides", alone)
}

// writeList writes a section with a list, if there is anything in it.
func writeList(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("## " + title + "\n\n")
	for _, line := range lines {
		b.WriteString("- " + line + "\n")
	}
	b.WriteString("\n")
}

// verdict returns the result in a sentence.
func verdict(done []*outcome) string {
	var differ, alone []string
	for _, o := range done {
		differ = append(differ, o.Fixed.Differ...)
		alone = append(alone, o.Fixed.Alone...)
	}
	switch {
	case len(differ) == 0 && len(alone) == 0:
		return "No test's result differed. A second run of sluice fix found nothing to change."
	case len(differ) == 0:
		return "No test's result differed, but for those that were the same when they ran alone (below). " +
			"A second run of sluice fix found nothing to change."
	}
	return "Tests whose results differed:\n\n- " + strings.Join(differ, "\n- ")
}

// dates returns the days of the results.
func dates(done []*outcome) string {
	var days []string
	for _, o := range done {
		days = append(days, o.Date)
	}
	slices.Sort(days)
	return strings.Join(slices.Compact(days), ", ")
}

func tests(n [3]int) string { return fmt.Sprintf("%d, %d, %d", n[0], n[1], n[2]) }
