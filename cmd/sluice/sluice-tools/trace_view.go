package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/viewer"
	"github.com/sluiceio/sluice/internal/tracepage"
)

// traceViewCmd is `sluice trace view`.
type traceViewCmd struct {
	File   string `arg:"" help:"The trace; - is standard input."`
	Output string `short:"o" placeholder:"PAGE" help:"Write the page to PAGE, - is standard output (default: FILE.html)."`
	Force  bool   `help:"Overwrite PAGE even if it is not a page of this command."`
	Serve  bool   `help:"Write no file; serve the page on this machine until interrupted."`
	Addr   string `placeholder:"ADDR" help:"Serve at ADDR (default: localhost and a free port)."`
}

// Help returns the text below the list of flags.
func (*traceViewCmd) Help() string {
	return `
Makes a web page of a trace: one file, which needs no network. The page shows
lanes of operations by goroutine, file and ring, and depth, throughput and
latencies over time. It has filters and a search.`
}

// Run makes the page, and writes or serves it.
func (c *traceViewCmd) Run(ctx context.Context, s cli.Streams) error {
	serve := c.Serve || c.Addr != ""
	switch {
	case c.File == "":
		return cli.UsageError{Err: fmt.Errorf("FILE: the name is empty")}
	case serve && c.Output != "":
		return cli.UsageError{Err: fmt.Errorf("--output writes the page and --serve serves it; want one of them")}
	case serve && c.Force:
		return cli.UsageError{Err: fmt.Errorf("--force is for a page that is written, and --serve writes none; want one of them")}
	case !serve && c.File == cli.Stdio && c.Output == "":
		return cli.UsageError{Err: fmt.Errorf("a trace from standard input has no name from which to make the page's name; want --output PAGE, or --serve")}
	}
	page, err := cli.Await(ctx, c.page)
	switch {
	case err != nil:
		return err
	case serve:
		return c.serve(ctx, s, page)
	case c.Output == cli.Stdio:
		_, err = cli.Await(ctx, func() (int, error) { return s.Out.Write(page) })
		return err
	}
	return c.write(ctx, s, page)
}

// page reads the trace and makes its page.
func (c *traceViewCmd) page() ([]byte, error) {
	t, err := readTrace(c.File)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	title := filepath.Base(c.File)
	if c.File == cli.Stdio {
		title = "standard input"
	}
	err = tracepage.Write(&page, t, title)
	return page.Bytes(), err
}

func (c *traceViewCmd) write(ctx context.Context, s cli.Streams, page []byte) error {
	name := c.Output
	if name == "" {
		name = pageOf(c.File)
	}
	if same(name, c.File) {
		return cli.UsageError{Err: fmt.Errorf("--output: %s is the trace itself", name)}
	}
	if err := viewer.WriteFile(ctx, name, page, c.Force); err != nil {
		return fmt.Errorf("cannot write the page: %w", hintForce(err))
	}
	_, err := fmt.Fprintf(s.Out, "%s (%.1f MiB)\n", report.Printable(name), float64(len(page))/(1<<20))
	return err
}

// pageOf returns the default name of a trace's page.
func pageOf(file string) string { return file + ".html" }

// hintForce adds to the error of an existing file how to overwrite it.
func hintForce(err error) error {
	if errors.Is(err, viewer.ErrForeign) {
		return fmt.Errorf("%w; --force overwrites it", err)
	}
	return err
}

// same reports whether two names are of one file.
func same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// serve serves the page until it is interrupted, which is not an error.
func (c *traceViewCmd) serve(ctx context.Context, s cli.Streams, page []byte) error {
	addr := c.Addr
	if addr == "" {
		addr = "localhost:0"
	}
	l, err := viewer.Listen(ctx, addr)
	if err != nil {
		return fmt.Errorf("cannot serve: %w", err)
	}
	if _, err := fmt.Fprintf(s.Out, "%s (until interrupted)\n", viewer.URL(l)); err != nil {
		return errors.Join(err, l.Close())
	}
	return viewer.Serve(ctx, l, page)
}
