// Command sluice-tools has all subcommands of sluice. Command sluice has only cp and version, so
// that it starts as quickly as GNU cp, and runs this program for all other subcommands: see package
// toolbox. The documentation of command sluice lists the subcommands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sluiceio/sluice/bench"
	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline/kongline"
	"github.com/sluiceio/sluice/cmd/sluice/internal/front"

	// Before go-fuse, which panics without descriptors
	_ "github.com/sluiceio/sluice/cmd/sluice/internal/openfiles"
	"github.com/sluiceio/sluice/cmd/sluice/internal/signals"
	"github.com/sluiceio/sluice/cmd/sluice/internal/toolbox"
)

// command is the file of the program sluice that became this one; "" if none did. main sets it.
var command string

func main() {
	var err error
	if command, err = toolbox.Opened(cli.Version()); err != nil {
		fmt.Fprintln(os.Stderr, "sluice:", sentence(err))
		os.Exit(1)
	}
	signals.SurviveBrokenPipe()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// grammar is the command line.
type grammar struct {
	Cp      cpCmd         `cmd:"" help:"Copy files and trees as GNU cp does, faster, with progress."`
	Bench   bench.Command `cmd:"" help:"Run experiments that compare sluice with os.File."`
	Tune    tuneCmd       `cmd:"" help:"Measure how much in flight keeps a device busy, and save it."`
	Doctor  doctorCmd     `cmd:"" help:"Say what this machine allows and which driver is chosen."`
	Trace   traceCmd      `cmd:"" help:"Record what a program's I/O does, and look at it."`
	Top     topCmd        `cmd:"" help:"Show what a running program's I/O does now."`
	Build   buildCmd      `cmd:"" passthrough:"" help:"Build a Go program whose os.File goes through sluice."`
	Install installCmd    `cmd:"" passthrough:"" help:"Build and install a Go program whose os.File goes through sluice."`
	Run     runCmd        `cmd:"" passthrough:"" help:"Build and run a Go program whose os.File goes through sluice."`
	Test    testCmd       `cmd:"" passthrough:"" help:"Test Go packages whose os.File goes through sluice."`
	Fix     fixCmd        `cmd:"" help:"Rewrite Go packages so that they open files with package sluice."`
	Overlay overlayCmd    `cmd:"" help:"Write the overlay of sluice build, for go build -overlay."`

	Completion completionCmd `cmd:"" help:"Print the completions of commands and flags, for a shell."`
	Man        manCmd        `cmd:"" help:"Print a manual page, or write all."`
	Version    versionCmd    `cmd:"" help:"Print the version."`

	Complete  completeCmd  `cmd:"" name:"__complete" passthrough:"" hidden:"" help:"Complete a command line, for the scripts of sluice completion."`
	CoverTool coverToolCmd `cmd:"" name:"covertool" hidden:"" help:"Run a tool for go build -cover, which starts it."`
	bench.Children
}

const description = `Disk I/O for goroutines: copy with it, measure it here, and see what this machine allows.`

// reportedError is the exit status of an error that was reported to the user already.
type reportedError int

func (e reportedError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// exitStatus returns the error of a command that has reported its errors; nil for status 0.
func exitStatus(status int) error {
	if status == 0 {
		return nil
	}
	return reportedError(status)
}

// cpCmd is `sluice cp` in the list of commands. It reads its arguments itself, as GNU cp does: see
// package front.
type cpCmd struct{}

// versionCmd is `sluice version`.
type versionCmd struct{}

// Run prints one line.
func (versionCmd) Run(s cli.Streams) error { return front.Version(s) }

// run executes the command line and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	err := execute(args, cli.Streams{Out: stdout, Err: stderr})
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[reportedError](err); ok {
		return int(status)
	}
	fmt.Fprintln(stderr, "sluice:", sentence(err))
	if stop, ok := errors.AsType[*signals.StopError](err); ok {
		return 128 + int(stop.Signal())
	}
	if status, ok := errors.AsType[statusError](err); ok {
		return status.status
	}
	if _, ok := errors.AsType[cli.UsageError](err); ok {
		return 2
	}
	return 1
}

// sentence returns an error's message in one printable line.
func sentence(err error) string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return report.Printable(err.Error())
	}
	errs := joined.Unwrap()
	texts, sentences := make([]string, len(errs)), make([]string, len(errs))
	for i, err := range errs {
		texts[i], sentences[i] = err.Error(), sentence(err)
	}
	if err.Error() != strings.Join(texts, "\n") { // it adds words to the joined messages
		return report.Printable(err.Error())
	}
	return strings.Join(sentences, "; ")
}

func execute(args []string, s cli.Streams) error {
	if len(args) == 0 { // as the command go does
		if err := execute([]string{"help"}, cli.Streams{Out: s.Err, Err: s.Err}); err != nil {
			return err
		}
		return reportedError(2)
	}
	cli.FitWidth(s.Out)
	switch args = usualArgs(args); {
	case args[0] == "cp": // kong would change names that are not UTF-8
		return exitStatus(front.Cp(args[1:], s))
	case len(args) == 1 && args[0] == "version": // without the time that kong takes for the grammar
		return front.Version(s)
	}
	cmd, err := parse(args, s)
	if cmd == nil {
		return err
	}
	// The signals keep their default effect for a command that takes no context: it would not
	// end otherwise.
	stop := func() {}
	defer func() { stop() }()
	err = cmd.BindToProvider(func() (ctx context.Context, err error) {
		ctx, stop = signals.NotifyContext()
		return ctx, nil
	})
	if err != nil {
		return err
	}
	return cmd.Run(s)
}

// parse returns the command to run. It returns nil after it has shown the help, and if the
// command line is wrong.
func parse(args []string, s cli.Streams) (*kong.Context, error) {
	g := grammar{Bench: bench.Command{Sluice: command}}
	exited := false
	var shown error // of writing the help, which is not an error in the command line
	help := func(o kong.HelpOptions, c *kong.Context) error {
		shown = printHelp(s.Out, o, c)
		return shown
	}
	parser, err := kong.New(&g, kong.Name("sluice"), kong.Description(description), kong.Help(help),
		kong.KindMapper(reflect.String, kong.MapperFunc(verbatim)), kong.Writers(s.Out, s.Err), kong.Exit(func(int) { exited = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 80}))
	if err != nil {
		return nil, err
	}
	cmd, err := parser.Parse(args)
	switch {
	case exited || shown != nil:
		return nil, shown
	case err != nil:
		return nil, cli.UsageError{Err: clearly(err)}
	}
	if err := emptyFlag(cmd); err != nil {
		return nil, cli.UsageError{Err: err}
	}
	return cmd, nil
}

// printHelp writes the help of the selected command. Kong's two columns need the usual width.
func printHelp(w io.Writer, o kong.HelpOptions, c *kong.Context) error {
	if report.Fits(o.WrapUpperBound) {
		return kong.DefaultHelpPrinter(o, c)
	}
	node := c.Selected()
	if node == nil {
		node = c.Model.Node
	}
	_, err := io.WriteString(w, cmdline.NarrowHelp(kongline.Describe(node, nil)))
	return err
}

// verbatim sets a string to the argument as it is. Kong's own mapper makes JSON of the argument
// in between, which changes the names of files that are not UTF-8.
func verbatim(ctx *kong.DecodeContext, target reflect.Value) error {
	t, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	target.SetString(fmt.Sprint(t.Value))
	return nil
}

// mayBeEmpty are the flags that take an empty value, or have their own message about it.
var mayBeEmpty = []string{"dir", "report", "device", "tags"}

// emptyFlag returns an error if a flag has an empty value. An unset variable in --json="$out"
// gives that, and the results of the run would be lost.
func emptyFlag(cmd *kong.Context) error {
	for _, p := range cmd.Path {
		if p.Flag == nil || slices.Contains(mayBeEmpty, p.Flag.Name) {
			continue
		}
		switch v := p.Flag.Target; v.Kind() {
		case reflect.String, reflect.Slice:
			if v.Len() == 0 {
				return fmt.Errorf("--%s: the value is empty; want one, or the flag left out", p.Flag.Name)
			}
		}
	}
	return nil
}

// usualArgs turns `sluice help command` and `sluice --version` into arguments for kong.
func usualArgs(args []string) []string {
	switch {
	case args[0] == "help" && len(args) > 1 && args[1] == "help":
		return usualArgs(args[1:])
	case args[0] == "help":
		return append(args[1:len(args):len(args)], "--help")
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	case args[0] == "fix":
		return fixFlags(args)
	}
	return args
}
