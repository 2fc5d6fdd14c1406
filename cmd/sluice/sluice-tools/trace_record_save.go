package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/browser"
	"github.com/sluiceio/sluice/cmd/sluice/internal/digest"
	"github.com/sluiceio/sluice/cmd/sluice/internal/viewer"
	"github.com/sluiceio/sluice/internal/tracepage"
	"github.com/sluiceio/sluice/trace"
)

// unsavedError is the error of a trace that could not be written. The recording is kept.
type unsavedError struct {
	error
	kept string // the file of the recording
}

func (e unsavedError) Error() string {
	return fmt.Sprintf("%v; the recording is kept in %s, which sluice trace reads", e.error, e.kept)
}

// Unwrap returns the error of the write.
func (e unsavedError) Unwrap() error { return e.error }

// save writes the trace of each process and reports it. It makes a page of the trace with
// the most operations.
func (c *traceRecordCmd) save(ctx context.Context, s cli.Streams, recorded []string) error {
	var errs []error
	var most *trace.Trace
	var of string // the file of most
	for _, name := range recorded {
		out := c.Output
		if len(recorded) > 1 {
			ext := filepath.Ext(out)
			out = strings.TrimSuffix(out, ext) + "-" + filepath.Base(name) + ext
		}
		t, err := saveOne(ctx, s, name, out)
		errs = append(errs, err)
		if err == nil && (most == nil || len(t.Ops) > len(most.Ops)) {
			most, of = t, out
		}
	}
	if most != nil && !c.NoView {
		errs = append(errs, show(ctx, s, most, of))
	}
	return errors.Join(errs...)
}

// saveOne writes a recording as a trace, and removes it.
func saveOne(ctx context.Context, s cli.Streams, name, out string) (*trace.Trace, error) {
	t, err := cli.Await(ctx, func() (*trace.Trace, error) { return readTrace(name) })
	if err == nil {
		err = writeNew(ctx, out, func(w io.Writer) error { return compact(t, w) })
	}
	if err != nil {
		return nil, unsavedError{err, name}
	}
	return t, errors.Join(os.Remove(name), summarize(s, t, out))
}

// summarize prints a trace's summary on stderr, as stdout is the program's.
func summarize(s cli.Streams, t *trace.Trace, out string) error {
	cli.FitWidth(s.Err)
	_, err := fmt.Fprintf(s.Err, "\n%s\nwritten to %s\n", digest.Print(t), report.Printable(out))
	return err
}

// show writes the page beside the trace, and opens it on a terminal with a display.
func show(ctx context.Context, s cli.Streams, t *trace.Trace, out string) error {
	var page bytes.Buffer
	if err := tracepage.Write(&page, t, filepath.Base(out)); err != nil {
		return err
	}
	name := pageOf(out)
	if err := viewer.WriteFile(ctx, name, page.Bytes(), false); err != nil {
		return fmt.Errorf("cannot write the page: %w", err)
	}
	_, err := fmt.Fprintf(s.Err, "its page is %s%s\n", report.Printable(name), opened(s, name, out))
	return err
}

// opened opens the page if there is a display. It returns the end of the message: that the
// page is opened, or how to look at it.
func opened(s cli.Streams, page, out string) string {
	serve := "\nsluice trace view --serve " + report.Printable(out) + " serves it"
	if !cli.IsTerminal(s.Out) || !browser.Display() {
		return serve
	}
	if err := browser.Open(page); err != nil {
		return fmt.Sprintf(" (it cannot be opened: %v)%s", err, serve)
	}
	return ", which your browser opens"
}
