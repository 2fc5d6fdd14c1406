package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/cmd/sluice/internal/goflags"
)

// overlayCmd is `sluice overlay`.
type overlayCmd struct {
	Output string   `short:"o" required:"" placeholder:"DIR" help:"The directory to write into, which must be new or empty."`
	Test   bool     `xor:"command" help:"For go test -vet=off, in the place of go build."`
	Vet    bool     `xor:"command" help:"For go vet, in the place of go build: the standard library's files alone."`
	Args   []string `arg:"" optional:"" passthrough:"" help:"The flags that say which files there are (-tags, -race …), and the packages, after --."`
}

// Help tells how it is used.
func (*overlayCmd) Help() string {
	return "It prints the flag for the go command. The overlay is good for these packages, this toolchain, " +
		"and GOOS and GOARCH as they are in the environment, for as long as DIR is there. " + builtHelp
}

// Run writes the overlay.
func (c *overlayCmd) Run(ctx context.Context, s cli.Streams) error {
	if len(c.Args) > 0 && c.Args[0] == "--" {
		c.Args = c.Args[1:]
	}
	line, err := goflags.Parse("build", c.Args)
	if err != nil {
		return cli.UsageError{Err: fmt.Errorf("overlay: %w", err)}
	}
	dir, err := filepath.Abs(c.Output)
	if err != nil {
		return err
	}
	if err := makeEmpty(dir); err != nil {
		return err
	}
	o, err := writeOverlay(ctx, dir, line, c.Test)
	if err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	if len(o.Env) > 0 {
		return fmt.Errorf("overlay: the toolchain is in the module cache, where the go command does not let files be replaced: "+
			"run this command, and the go command, with %s and PATH=$GOROOT/bin:$PATH", strings.Join(o.Env, " "))
	}
	file := o.File
	if c.Vet {
		file = o.Standard
	}
	_, err = fmt.Fprintln(s.Out, "-overlay="+file)
	return err
}

// makeEmpty makes a directory, unless there is an empty one.
func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err == nil && len(files) > 0 {
		err = errors.New(dir + " is not empty")
	}
	return err
}
