package bench

import (
	"context"
	"errors"
	"io"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/compare"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/results"
)

// compare is `sluice bench compare A.json B.json`. It prints the changes between two runs.
func (c *Command) compare(ctx context.Context, s cli.Streams) error {
	files := c.Experiments
	if len(files) > 0 && files[0] == "compare" {
		files = files[1:]
	}
	if len(files) != 2 {
		return cli.UsageError{Err: errors.New("compare: want two files that --json has written, as in sluice bench compare A.json B.json")}
	}
	if files[0] == cli.Stdio && files[1] == cli.Stdio {
		return cli.UsageError{Err: errors.New("compare: standard input is one run; want a file's name for the other")}
	}
	if err := c.checkFailBelow(); err != nil {
		return cli.UsageError{Err: err}
	}
	var runs [2]*results.Run
	for i, name := range files {
		var err error
		if runs[i], err = readResults(ctx, name); err != nil {
			return err
		}
	}
	changes, err := compare.Runs(runs[0], runs[1])
	if err != nil {
		return err
	}
	if _, err := io.WriteString(s.Out, report.PrintableLines(changes.Text())); err != nil {
		return err
	}
	return changes.FailBelow(c.FailBelow)
}
