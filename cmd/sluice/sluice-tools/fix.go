package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/library"
	"github.com/sluiceio/sluice/bench/outcomes"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/fix"
	"github.com/sluiceio/sluice/cmd/sluice/internal/fix/verify"
	"github.com/sluiceio/sluice/cmd/sluice/internal/goflags"
)

// fixCmd is `sluice fix`.
type fixCmd struct {
	Packages []string `arg:"" optional:"" help:"Packages, as for go build; the one in the current directory if none is named."`
	Diff     bool     `help:"Print the changes as a diff, write nothing, and exit with status 1 if there are any."`
	Verify   bool     `help:"Run the tests before and after, and undo all changes if a result differs."`
	Test     string   `placeholder:"ARGS" help:"With -verify: flags and packages of go test, separated by spaces."`
	Undo     bool     `help:"Undo the changes of a -verify that was killed."`
	Exported bool     `help:"Change exported functions, fields and types of library packages, too."`
	Tags     string   `placeholder:"LIST" help:"Build tags, separated by commas."`
}

// Help returns the text below the list of flags.
func (*fixCmd) Help() string {
	return "Calls of os.Open, Create, OpenFile, CreateTemp, OpenInRoot, NewFile, ReadFile and WriteFile become those of package sluice, " +
		"and the type os.File becomes sluice.File wherever these files go. What must stay an *os.File stays, and the reason is printed: " +
		"files of exec.Cmd, os.Stdin, files from os.Pipe, exported names, and files that an interface hides. The result is type-checked before a file is written. " +
		"With -verify, the tests run twice before the change and once after, and go.mod gets the requirement. If the result of a test changes, all changes are undone. " +
		"A test with two different results before the change is flaky: it is named, and does not count. " +
		"See docs/migration.md in github.com/sluiceio/sluice."
}

// check returns an error if flags do not go together.
func (c *fixCmd) check() error {
	switch {
	case c.Verify && c.Diff:
		return errors.New("fix: -diff writes nothing, and -verify has nothing to test then; want one of them")
	case c.Test != "" && !c.Verify:
		return errors.New("fix: -test is for -verify; want both")
	case c.Undo && (c.Verify || c.Diff || c.Exported || c.Tags != "" || len(c.Packages) > 0):
		return errors.New("fix: -undo takes back all of the tree in the current directory; want it alone")
	}
	return nil
}

// Run rewrites the packages, or prints the changes.
func (c *fixCmd) Run(ctx context.Context, s cli.Streams) error {
	if err := c.check(); err != nil {
		return cli.UsageError{Err: err}
	}
	err := c.run(ctx, s)
	if err == nil || errors.As(err, new(reportedError)) {
		return err
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("fix: %w", err)
}

func (c *fixCmd) run(ctx context.Context, s cli.Streams) error {
	if c.Undo {
		return undoFix(ctx, s.Out)
	}
	if !c.Diff {
		if err := verify.Unfinished(ctx, "", nil); err != nil {
			return err
		}
	}
	step, end := newFixProgress(s.Err, time.Now()).start()
	r, err := fix.Run(ctx, fix.Options{Patterns: c.Packages, Tags: c.Tags, Exported: c.Exported, Progress: step})
	end()
	switch {
	case err != nil:
		return err
	case c.Diff:
		return printDiff(r, s)
	case c.Verify && len(r.Files) > 0:
		return c.verify(ctx, r, s)
	}
	if err := r.Write(); err != nil {
		return err
	}
	return reportFix(r, s.Out)
}

// printDiff prints what would change.
func printDiff(r *fix.Result, s cli.Streams) error {
	if _, err := s.Out.Write(r.Diff()); err != nil {
		return err
	}
	if err := r.Report(s.Err, "would change"); err != nil {
		return err
	}
	if len(r.Files) > 0 {
		return reportedError(1)
	}
	return nil
}

// verify writes the changes if the tests have the same results with them.
func (c *fixCmd) verify(ctx context.Context, r *fix.Result, s cli.Streams) error {
	line, err := goflags.Parse("test", strings.Fields(c.Test))
	if err != nil {
		return cli.UsageError{Err: fmt.Errorf("-test: %w", err)}
	}
	o := verify.Options{Flags: line.Flags, Rest: line.Rest, Version: library.Version()}
	if !line.Set("vet") {
		o.Flags = append(o.Flags, "-vet=off") // it is no test of the program
	}
	if c.Tags != "" {
		o.Flags = append(o.Flags, "-tags="+c.Tags)
	}
	if len(line.Packages) == 0 {
		line.Packages = c.Packages
	}
	o.Flags = append(o.Flags, line.Packages...)
	if o.Version == "" || os.Getenv(library.Variable) != "" {
		if o.Source, err = library.Dir(ctx); err != nil {
			return err
		}
	}
	debug.FreeOSMemory() // of the packages, which can be gigabytes: the tests may need it
	var end func()
	o.Progress, end = newFixProgress(s.Err, time.Now()).start()
	report, err := verify.Run(ctx, r, o)
	end()
	if err != nil {
		return err
	}
	if len(report.Differ) > 0 {
		if err := printDiffer(s.Out, report); err != nil {
			return err
		}
		return fmt.Errorf("%s after the change; everything was taken back", number(len(report.Differ), "test has another result", "tests have other results"))
	}
	if err := r.Report(s.Out, "changed"); err != nil {
		return err
	}
	return printVerified(s.Out, report)
}

// number returns n with the words for one or for many.
func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// printVerified prints how many tests were compared.
func printVerified(w io.Writer, r *verify.Report) error {
	var text strings.Builder
	fmt.Fprintf(&text, "verified: %s passed%s before the change; %d passed%s after it\n",
		number(r.Before.Count("pass"), "test", "tests"), failedText(r.Before), r.After.Count("pass"), failedText(r.After))
	printFlaky(&text, r)
	for _, note := range r.Notes {
		text.WriteString("note: " + note + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// failedText returns how many tests of a run failed and were skipped, to follow how many passed. It
// says nothing of zeros.
func failedText(r *outcomes.Run) string {
	text := ""
	if n := r.Count("fail"); n > 0 {
		text += fmt.Sprintf(", %d failed", n)
	}
	if n := r.Count("skip"); n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	return text
}

// printFlaky prints the tests that were not compared.
func printFlaky(text *strings.Builder, r *verify.Report) {
	for _, name := range r.Flaky {
		fmt.Fprintf(text, "flaky before the change, and not compared: %s\n", name)
	}
	for _, name := range r.Alone {
		fmt.Fprintf(text, "differs after the change, but not when it runs alone: %s: %s before, %s after\n",
			name, outcomes.Or(r.Before.Outcomes[name]), outcomes.Or(r.After.Outcomes[name]))
	}
}

// mostOutput is how many lines of a test's output are printed.
const mostOutput = 20

// printDiffer prints the tests whose results differ, and what they say.
func printDiffer(w io.Writer, r *verify.Report) error {
	var text strings.Builder
	for _, name := range r.Differ {
		fmt.Fprintf(&text, "differs: %s: %s before, %s after\n", name, outcomes.Or(r.Before.Outcomes[name]), outcomes.Or(r.After.Outcomes[name]))
		lines := slices.Collect(strings.Lines(r.After.Said[name]))
		for _, line := range lines[max(0, len(lines)-mostOutput):] {
			text.WriteString("    " + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	printFlaky(&text, r)
	_, err := io.WriteString(w, report.PrintableLines(text.String()))
	return err
}

// undoFix takes back what a killed run has left.
func undoFix(ctx context.Context, w io.Writer) error {
	files, err := verify.Undo(ctx, "", nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "took back the changes; %s as before sluice fix -verify\n", number(files, "file is", "files are"))
	return err
}

// reportFix says what was changed, and what is to be done next.
func reportFix(r *fix.Result, w io.Writer) error {
	if err := r.Report(w, "changed"); err != nil {
		return err
	}
	var next string
	if len(r.Files) > 0 && !r.Required() {
		next = "next: go get github.com/sluiceio/sluice && go vet ./...\n"
	}
	_, err := io.WriteString(w, next)
	return err
}

// fixFlags lets the flags of `sluice fix` begin with one dash, as the go command's do.
func fixFlags(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		switch name {
		case "diff", "exported", "tags", "test", "undo", "verify", "help":
			arg = "-" + arg
		}
		out[i] = arg
	}
	return out
}
