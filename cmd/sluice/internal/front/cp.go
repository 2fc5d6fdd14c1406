package front

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
	"github.com/sluiceio/sluice/cmd/sluice/internal/signals"
	"github.com/sluiceio/sluice/copytree/gnucp"
)

// Cp runs `sluice cp`, which reports its errors itself, and returns the exit status.
func Cp(args []string, s cli.Streams) int {
	ctx, stop := signals.NotifyContext()
	defer stop()
	return gnucp.Run(ctx, gnucp.Command{
		Args: args, In: os.Stdin, Out: s.Out, Err: s.Err, Version: versionLine("sluice cp"), Help: fitCpHelp,
	})
}

// fitCpHelp lays out the help of cp for the terminal.
func fitCpHelp(text string) string {
	if report.Fits(80) {
		return text
	}
	return cmdline.NarrowHelp(DescribeCp("", text))
}

// cpWords are the values of cp's flags, in the order in which gnucp lists them.
var cpWords = map[string]cmdline.Words{
	"--sparse":           {Words: []string{"never", "auto", "always"}},
	"--reflink":          {Words: []string{"auto", "always", "never"}},
	"--update":           {Words: []string{"all", "none", "none-fail", "older"}},
	"--sync":             {Words: []string{"fs", "files"}},
	"--backup":           {Words: []string{"none", "simple", "existing", "numbered"}},
	"--preserve":         {Words: cpAttributes},
	"--no-preserve":      {Words: cpAttributes},
	"--target-directory": {Dirs: true},
	"--json":             {Files: true},
}

var cpAttributes = []string{"mode", "timestamps", "ownership", "links", "context", "xattr", "all"}

// DescribeCp describes the command line of cp by its help, for the manual page and for completions.
// help is one sentence.
func DescribeCp(help, text string) *cmdline.Command {
	c := cmdline.FromText("sluice cp", help, text, cpWords)
	c.Args = []cmdline.Arg{{Name: "SOURCE", Many: true, Words: cmdline.Words{Files: true}}}
	return c
}

// CpHelp returns what `sluice cp --help` prints on a terminal of 80 columns.
func CpHelp() string {
	var text strings.Builder
	gnucp.Run(context.Background(), gnucp.Command{Args: []string{"--help"}, Out: &text, Err: io.Discard})
	return text.String()
}
