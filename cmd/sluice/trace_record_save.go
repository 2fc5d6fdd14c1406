package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/sluiceio/sluice/cmd/sluice/internal/browser"
	"github.com/sluiceio/sluice/cmd/sluice/internal/digest"
	"github.com/sluiceio/sluice/cmd/sluice/internal/viewer"
	"github.com/sluiceio/sluice/trace"
)

// save writes what the processes have recorded, tells of each, and shows the
// one that has done most.
func (c *traceRecordCmd) save(s streams, dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) == 0 {
		return errors.Join(err, errors.New("nothing was recorded: no process has used sluice, or none that records"))
	}
	var errs []error
	var most *trace.Trace
	var of string // whose most is
	for _, name := range names {
		out := c.Output
		if len(names) > 1 {
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

func saveOne(s streams, name, out string) (*trace.Trace, error) {
	t, err := readTrace(name)
	if err != nil {
		return nil, err
	}
	if err := writeNew(out, compact(t)); err != nil {
		return nil, err
	}
	return t, told(s, t, out)
}

// told says on stderr, as stdout is the program's, what is in a trace.
func told(s streams, t *trace.Trace, out string) error {
	_, err := fmt.Fprintf(s.err, "\n%s\nwritten to %s\n", digest.Print(t), out)
	return err
}

// show writes the page beside the trace, and opens it if somebody sees that.
func show(s streams, t *trace.Trace, out string) error {
	var page bytes.Buffer
	if err := viewer.Write(&page, t, filepath.Base(out)); err != nil {
		return err
	}
	name := pageOf(out)
	if err := viewer.WriteFile(name, page.Bytes(), false); err != nil {
		return fmt.Errorf("cannot write the page: %w", err)
	}
	_, err := fmt.Fprintf(s.err, "its page is %s%s\n", name, opened(s, name, out))
	return err
}

// opened opens the page, and says so, or else how else it can be seen.
func opened(s streams, page, out string) string {
	serve := "\nsluice trace view --serve " + out + " serves it"
	if f, ok := s.out.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) || !browser.Display() {
		return serve
	}
	if err := browser.Open(page); err != nil {
		return fmt.Sprintf(" (it cannot be opened: %v)%s", err, serve)
	}
	return ", which your browser opens"
}
