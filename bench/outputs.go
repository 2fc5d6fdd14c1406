package bench

import (
	"context"
	"errors"
	"time"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/bench/pictures"
	"github.com/sluiceio/sluice/bench/results"
)

// redraw is `sluice bench report FILE.json DIR`. It draws the report of an earlier run.
func (c *Command) redraw(ctx context.Context) error {
	if len(c.Experiments) != 3 {
		return cli.UsageError{Err: errors.New("report: want a file that --json has written and a directory, as in sluice bench report FILE.json DIR")}
	}
	run, err := readResults(ctx, c.Experiments[1])
	if err != nil {
		return err
	}
	dir, err := openReport(c.Experiments[2])
	if err != nil {
		return err
	}
	return dir.Write(run)
}

// readResults reads a file of --json, until ctx ends.
func readResults(ctx context.Context, name string) (*results.Run, error) {
	return cli.Await(ctx, func() (*results.Run, error) { return results.Read(name) })
}

// outputs are the files that a run writes.
type outputs struct {
	json   *cli.JSONFile // nil if not wanted
	report *pictures.Dir // nil if not wanted
}

// openOutputs opens the files before the measurements, so that a wrong name costs no run. It
// returns the streams for the readable text.
func (c *Command) openOutputs(ctx context.Context, s cli.Streams) (o outputs, text cli.Streams, err error) {
	if c.Report != nil {
		if o.report, err = openReport(*c.Report); err != nil {
			return o, s, err
		}
	}
	if o.json, text, err = cli.CreateJSON(ctx, s, c.JSON); err != nil {
		o.report.Abandon()
	}
	return o, text, err
}

// openReport opens the directory of a report.
func openReport(dir string) (*pictures.Dir, error) {
	if dir == cli.Stdio {
		return nil, cli.UsageError{Err: errors.New("--report: a report is a directory, and - is standard output; want ./- for a directory of that name")}
	}
	return pictures.Open(dir)
}

// newResults returns a run's results for --json.
func newResults(m machine.Info, p experiments.Params, measured map[string]any) results.File {
	return results.File{
		Version:     cli.Version(),
		Finished:    time.Now().UTC().Truncate(time.Second),
		Machine:     m,
		FileSize:    p.FileSize,
		Driver:      p.Driver,
		Experiments: measured,
	}
}

// abandon leaves the files as they were before the run.
func (o outputs) abandon() error {
	o.report.Abandon()
	return o.json.Abandon()
}

func (o outputs) write(measured results.File) error {
	err := o.json.Write(measured)
	if o.report == nil {
		return err
	}
	return errors.Join(err, o.draw(measured))
}

// draw draws from the text of the JSON file, so that a later report from the file is the same.
func (o outputs) draw(measured results.File) error {
	text, err := measured.Encode()
	if err != nil {
		return err
	}
	run, err := results.Decode(text)
	if errors.Is(err, experiments.ErrNothing) { // the run was interrupted
		o.report.Abandon()
		return nil
	}
	if err != nil {
		return err
	}
	return o.report.Write(run)
}
