// Package front is command sluice: cp and version, and the way to sluice-tools for every other
// subcommand.
//
// What it imports decides how soon `sluice cp` begins: the Go runtime initializes each package of
// a program at its start. TestLinks has the list of what must stay away.
package front

import (
	"fmt"
	"os"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/signals"
	"github.com/sluiceio/sluice/cmd/sluice/internal/toolbox"
)

// Main is the main function of command sluice.
func Main() {
	args, s := os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr}
	var err error
	switch {
	case len(args) > 0 && args[0] == "cp":
		signals.SurviveBrokenPipe()
		cli.FitWidth(s.Out)
		os.Exit(Cp(args[1:], s))
	case len(args) == 1 && (args[0] == "version" || args[0] == "--version"):
		signals.SurviveBrokenPipe()
		err = Version(s)
	default:
		err = toolbox.Open(args, cli.Version(), cli.Released())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sluice:", report.Printable(err.Error()))
		os.Exit(1)
	}
}
