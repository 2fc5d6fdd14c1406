package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/trace"
)

// traceExportCmd is `sluice trace export`.
type traceExportCmd struct {
	Format string `placeholder:"NAME" help:"perfetto (for ui.perfetto.dev; .pftrace), csv (operations; .csv), calls (system calls as csv; .csv), or compact (what sluice trace reads; .sluice). Default: by the extension of OUT."`
	File   string `arg:"" help:"The trace; - is standard input."`
	Out    string `arg:"" help:"The file to write, which must not exist; - is standard output, and needs --format."`
}

// format is a format of exported traces.
type format struct {
	name       string
	extensions []string // of its files
	binary     bool     // not shown on a terminal
	write      func(*trace.Trace, io.Writer) error
}

// formats are all formats. An extension means the first format that has it.
var formats = []format{
	{"perfetto", []string{".pftrace", ".perfetto-trace"}, true, (*trace.Trace).WritePerfetto},
	{"csv", []string{".csv"}, false, (*trace.Trace).WriteCSV},
	{"calls", []string{".csv"}, false, writeCalls},
	{"compact", []string{".sluice"}, true, compact},
}

// Run writes the file.
func (c *traceExportCmd) Run(ctx context.Context, s cli.Streams) error {
	f, err := c.format()
	if err != nil {
		return cli.UsageError{Err: err}
	}
	if c.Out == cli.Stdio && f.binary && cli.IsTerminal(s.Out) {
		return cli.UsageError{Err: fmt.Errorf("the format %s is binary, and standard output is a terminal; want a file, or a pipe", f.name)}
	}
	t, err := cli.Await(ctx, func() (*trace.Trace, error) { return readTrace(c.File) })
	if err != nil {
		return err
	}
	switch {
	case c.Out != cli.Stdio:
		return writeNew(ctx, c.Out, func(w io.Writer) error { return f.write(t, w) })
	case cli.IsTerminal(s.Out):
		return awaitWrite(ctx, func() error {
			return writePrintable(s.Out, func(w io.Writer) error { return f.write(t, w) })
		})
	}
	return awaitWrite(ctx, func() error { return f.write(t, s.Out) })
}

// format returns the format that --format or the file's extension names. It is an error if
// they contradict each other, or if neither names one.
func (c *traceExportCmd) format() (format, error) {
	ext := strings.ToLower(filepath.Ext(c.Out))
	if c.Out == cli.Stdio {
		ext = ""
	}
	byExt := slices.IndexFunc(formats, func(f format) bool { return slices.Contains(f.extensions, ext) })
	if c.Format == "" {
		switch {
		case c.Out == cli.Stdio:
			return format{}, fmt.Errorf("standard output has no extension that names a format; want --format, one of %s", formatNames())
		case byExt < 0:
			return format{}, fmt.Errorf("%s: no format has the extension %q; want --format, or one of %s", c.Out, ext, extensions())
		}
		return formats[byExt], nil
	}
	byName := slices.IndexFunc(formats, func(f format) bool { return f.name == c.Format })
	if byName < 0 {
		return format{}, fmt.Errorf("--format: %q is not known; there are %s", c.Format, formatNames())
	}
	f := formats[byName]
	if byExt >= 0 && !slices.Contains(f.extensions, ext) {
		return format{}, fmt.Errorf("--format %s contradicts the name %s, whose extension means %s; change one of them",
			f.name, c.Out, formats[byExt].name)
	}
	return f, nil
}

func formatNames() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return list(names, "and")
}

// extensions returns the known extensions with their formats, as a list in words.
func extensions() string {
	var names []string
	for i, f := range formats {
		if i > 0 && slices.Equal(f.extensions, formats[i-1].extensions) {
			continue // the extension means the format before
		}
		names = append(names, f.extensions[0]+" ("+f.name+")")
	}
	return list(names, "and")
}

// compact writes t in the format that trace.Read reads.
func compact(t *trace.Trace, w io.Writer) error {
	b := bufio.NewWriter(w)
	if _, err := t.WriteTo(b); err != nil {
		return err
	}
	return b.Flush()
}

// writePrintable calls write, and writes its text to a terminal without unprintable
// characters: names in a trace may contain any bytes.
func writePrintable(w io.Writer, write func(io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	_, err := io.WriteString(w, report.PrintableLines(strings.ReplaceAll(text.String(), "\r\n", "\n")))
	return err
}

// awaitWrite calls write, and leaves it to its fate if ctx ends first.
func awaitWrite(ctx context.Context, write func() error) error {
	_, err := cli.Await(ctx, func() (struct{}, error) { return struct{}{}, write() })
	return err
}

// writeNew creates a file, and calls write to write it. If that fails, or ctx ends first, it
// removes the file.
func writeNew(ctx context.Context, name string, write func(io.Writer) error) error {
	f, err := createNew(name)
	if err != nil {
		return err
	}
	err = errors.Join(awaitWrite(ctx, func() error { return write(f) }), f.Close())
	switch {
	case ctx.Err() != nil && err != nil: // write ends at the closed file
		return errors.Join(context.Cause(ctx), os.Remove(name))
	case err != nil:
		return errors.Join(cannotWrite(name, err), os.Remove(name))
	}
	return nil
}

// cannotWrite returns the error of writing a file, which names the file once.
func cannotWrite(name string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("cannot write %s: %w", name, err)
}

// createNew creates a file that does not exist.
func createNew(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, fmt.Errorf("%s exists, and is not overwritten; remove it, or name another file", name)
	case err != nil:
		return nil, cannotWrite(name, err)
	}
	return f, nil
}
