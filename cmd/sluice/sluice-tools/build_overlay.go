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
	Test   bool     `xor:"command" help:"For go test -vet=off instead of go build."`
	Vet    bool     `xor:"command" help:"For go vet instead of go build: only the standard library's files."`
	Args   []string `arg:"" optional:"" passthrough:"" help:"The flags that choose files (-tags, -race …), and the packages, after --."`
}

// Help returns the text below the list of flags.
func (*overlayCmd) Help() string {
	return "Prints the flag for the go command. The overlay is valid for these packages, this toolchain, " +
		"and the environment's GOOS and GOARCH, as long as DIR exists. " + builtHelp
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
	o, err := writeOverlay(ctx, dir, "", line, c.Test)
	if err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	if len(o.Env) > 0 {
		return fmt.Errorf("overlay: the toolchain is in the module cache, where the go command allows no file to be replaced: "+
			"run this command, and the go command, with %s and PATH=$GOROOT/bin:$PATH", strings.Join(o.Env, " "))
	}
	file := o.File
	if c.Vet {
		file = o.Standard
	}
	_, err = fmt.Fprintln(s.Out, "-overlay="+file)
	return err
}

// makeEmpty makes a directory. It may exist if it is empty.
func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err == nil && len(files) > 0 {
		err = errors.New(dir + " is not empty: name a new directory, or an empty one")
	}
	return err
}
