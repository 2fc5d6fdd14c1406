package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// writePage writes the page.
func writePage(w io.Writer, now time.Time, done []*outcome) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# fix: real programs, rewritten by sluice fix

| | |
|---|---|
| compares | the results of the tests of programs before and after `+"`sluice fix ./...`"+` |
| command | `+"`make fix-programs`"+` |
| machine | [the virtual machine](README.md#the-machine) |
| date | %s |

%s

| program | what it is | changed: calls, types, files | calls that stay | go.mod: go before, after | tests before: passed, failed, skipped | after |
|---|---|---|---|---|---|---|
`, now.Format(time.DateOnly), verdict(done))
	for _, o := range done {
		fmt.Fprintf(&b, "| %s | %s | %d, %d, %d | %d | %s | %s | %s |\n", o.module, o.what,
			o.fixed.calls, o.fixed.types, o.fixed.files, o.fixed.stay, o.goline, tests(o.before), tests(o.after))
	}
	for _, o := range done {
		if len(o.packages) > 0 {
			fmt.Fprintf(&b, "\nThe tests of %s are those of %s; all of its packages are rewritten.\n", o.name, strings.Join(o.packages, ", "))
		}
	}
	b.WriteString("\n" + reading + "\n## What stays\n")
	for _, o := range done {
		fmt.Fprintf(&b, "\n%s:\n\n", o.name)
		if len(o.fixed.said) == 0 {
			b.WriteString("- nothing\n")
		}
		for _, line := range o.fixed.said {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const reading = `**How to read it.** Calls are those that open files, and ReadFile and WriteFile. Types are uses of the name os.File. Tests
are counted with their subtests. The module sluice needs a newer Go than most of these programs say in go.mod, and so
does the rewritten program: go get raises that line. The tests before are run with the line as it was.

**Limits.** One run of each side, and a second one if a test fails. Tests that pass show that nothing broke that they look at.
`

// verdict returns the result in a sentence.
func verdict(done []*outcome) string {
	var differ []string
	for _, o := range done {
		differ = append(differ, o.differ...)
	}
	if len(differ) == 0 {
		return "No test's result differed. A second run of sluice fix found nothing to change."
	}
	return "Tests whose results differed:\n\n- " + strings.Join(differ, "\n- ")
}

func tests(r results) string {
	return fmt.Sprintf("%d, %d, %d", r.count("pass"), r.count("fail"), r.count("skip"))
}
