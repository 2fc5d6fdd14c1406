package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/cmd/sluice/internal/doctor"
)

// doctorCmd is `sluice doctor`.
type doctorCmd struct {
	Dir  string `default:"." placeholder:"DIR" help:"Directory whose file system is examined."`
	JSON string `name:"json" placeholder:"FILE" help:"Also write the findings to FILE as JSON. With - they go to standard output, and the text to standard error."`
}

// Run examines the machine. A bad finding is not an error.
func (d *doctorCmd) Run(ctx context.Context, s cli.Streams) error {
	if d.Dir == "" {
		return cli.UsageError{Err: cli.ErrEmptyDir}
	}
	out, s, err := cli.CreateJSON(ctx, s, d.JSON)
	if err != nil {
		return err
	}
	report, err := doctor.Examine(d.Dir)
	if err != nil {
		return errors.Join(err, out.Abandon())
	}
	_, err = fmt.Fprint(s.Out, report)
	return errors.Join(err, out.Write(report))
}
