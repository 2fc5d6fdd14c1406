package main

import (
	"os"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/cmd/sluice/internal/cp"
)

// cpCmd is `sluice cp` in the list of commands. It reads its arguments itself,
// as GNU cp does: see runCp.
type cpCmd struct{}

// runCp runs cp, which reports its errors itself.
func runCp(args []string, s cli.Streams) error {
	ctx, stop := notifyContext()
	defer stop()
	cmd := cp.Command{Args: args, In: os.Stdin, Out: s.Out, Err: s.Err, Version: versionLine("sluice cp")}
	if status := cmd.Run(ctx); status != 0 {
		return reportedError(status)
	}
	return nil
}
