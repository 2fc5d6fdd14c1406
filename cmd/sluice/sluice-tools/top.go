package main

import (
	"context"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/cmd/sluice/internal/top"
	"github.com/sluiceio/sluice/internal/live"
)

// topCmd is `sluice top`.
type topCmd struct {
	Target string `arg:"" help:"The program: a process number, an address such as localhost:6060, or the URL of the live look."`
	Once   bool   `help:"Print the figures of one second and end, as when standard output is not a terminal."`
}

// Help returns the text below the list of flags.
func (*topCmd) Help() string {
	return "The program must serve the live look: sluice build has built it and SLUICE_DEBUG_ADDR=localhost:6060 is in its environment, " +
		"or it serves live.Handler of package trace/live. A process number works on Linux only: sluice tries the sockets at which the process listens. " +
		"q ends, space pauses. NO_COLOR=1 turns colours off."
}

// Run shows the figures.
func (c *topCmd) Run(ctx context.Context, s cli.Streams) error {
	err := c.show(ctx, s)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("top: %w", err)
	}
	return nil
}

func (c *topCmd) show(ctx context.Context, s cli.Streams) error {
	at, err := top.Find(ctx, c.Target)
	if err != nil {
		return err
	}
	fetch := func(ctx context.Context) (*live.Figures, error) { return top.Fetch(ctx, at) }
	dumb := os.Getenv("TERM") == "dumb"
	colour := cli.IsTerminal(s.Out) && os.Getenv("NO_COLOR") == "" && !dumb
	if !c.Once && cli.IsTerminal(s.Out) && !dumb {
		return top.Show(ctx, s.Out, colour, fetch)
	}
	f, err := fetch(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.Out, top.Text(f, cli.Columns(s.Out), 0, colour))
	return err
}
