package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/cmd/sluice/internal/fix"
)

// fixCmd is `sluice fix`.
type fixCmd struct {
	Packages []string `arg:"" optional:"" help:"Packages, as for go build; the one in the current directory if none is named."`
	Diff     bool     `help:"Print the changes as a diff, write nothing, and exit with status 1 if there are any."`
	Exported bool     `help:"Change exported functions, fields and types of library packages, too."`
	Tags     string   `placeholder:"LIST" help:"Build tags, separated by commas."`
}

// Help returns the text below the list of flags.
func (*fixCmd) Help() string {
	return "Calls of os.Open, Create, OpenFile, CreateTemp, OpenInRoot, NewFile, ReadFile and WriteFile become those of package sluice, " +
		"and the type os.File becomes sluice.File wherever these files go. What must stay an *os.File stays, with the reason: " +
		"files of exec.Cmd, os.Stdin, what os.Pipe returns, exported names, and what goes out of sight in an interface. The result is type-checked before anything is written. " +
		"See docs/migration.md in github.com/sluiceio/sluice."
}

// Run rewrites the packages, or prints the changes.
func (c *fixCmd) Run(ctx context.Context, s cli.Streams) error {
	r, err := fix.Run(ctx, fix.Options{Patterns: c.Packages, Tags: c.Tags, Exported: c.Exported})
	if err != nil {
		return fmt.Errorf("fix: %w", err)
	}
	if c.Diff {
		if _, err := s.Out.Write(r.Diff()); err != nil {
			return err
		}
		r.Report(s.Err, "would change")
		if len(r.Files) > 0 {
			return reportedError(1)
		}
		return nil
	}
	if err := r.Write(); err != nil {
		return fmt.Errorf("fix: %w", err)
	}
	return reportFix(r, s.Out)
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

// fixFlags lets the flags of `sluice fix` begin with one dash, as those of the go command do.
func fixFlags(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		switch name {
		case "diff", "exported", "tags", "help":
			arg = "-" + arg
		}
		out[i] = arg
	}
	return out
}
