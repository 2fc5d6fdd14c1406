package main

import (
	"bytes"
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
	"github.com/sluiceio/sluice/trace"
)

// unsavedError is the error of a recording that could not be written where it was to be:
// it is kept where it is.
type unsavedError struct {
	error
	kept string // the recording's own file
}

func (e unsavedError) Error() string {
	return fmt.Sprintf("%v; what was recorded is kept in %s, which sluice trace reads", e.error, e.kept)
}

// Unwrap returns why.
func (e unsavedError) Unwrap() error { return e.error }

// save writes what the processes have recorded, tells of each, and shows the
// one that has done most.
func (c *traceRecordCmd) save(s cli.Streams, recorded []string) error {
	var errs []error
	var most *trace.Trace
	var of string // whose most is
	for _, name := range recorded {
		out := c.Output
		if len(recorded) > 1 {
			ext := filepath.Ext(out)
			out = strings.TrimSuffix(out, ext) + "-" + filepath.Base(name) + ext
		}
		t, err := saveOne(s, name, out)
		errs = append(errs, err)
		if err == nil && (most == nil || len(t.Ops) > len(most.Ops)) {
			most, of = t, out
		}
	}
	if most != nil && !c.NoView {
		errs = append(errs, show(s, most, of))
	}
	return errors.Join(errs...)
}

// saveOne writes a recording as a trace, and removes it.
func saveOne(s cli.Streams, name, out string) (*trace.Trace, error) {
	t, err := readTrace(name)
	if err == nil {
		err = writeNew(out, func(w io.Writer) error { return compact(t, w) })
	}
	if err != nil {
		return nil, unsavedError{err, name}
	}
	return t, errors.Join(os.Remove(name), told(s, t, out))
}

// told says on stderr, as stdout is the program's, what is in a trace.
func told(s cli.Streams, t *trace.Trace, out string) error {
	cli.FitWidth(s.Err)
	_, err := fmt.Fprintf(s.Err, "\n%s\nwritten to %s\n", digest.Print(t), report.Printable(out))
	return err
}

// show writes the page beside the trace, and opens it if somebody sees that.
func show(s cli.Streams, t *trace.Trace, out string) error {
	var page bytes.Buffer
	if err := viewer.Write(&page, t, filepath.Base(out)); err != nil {
		return err
	}
	name := pageOf(out)
	if err := viewer.WriteFile(name, page.Bytes(), false); err != nil {
		return fmt.Errorf("cannot write the page: %w", err)
	}
	_, err := fmt.Fprintf(s.Err, "its page is %s%s\n", report.Printable(name), opened(s, name, out))
	return err
}

// opened opens the page, and says so, or else how else it can be seen.
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
