package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline/kongline"
	"github.com/sluiceio/sluice/cmd/sluice/internal/completion"
	"github.com/sluiceio/sluice/cmd/sluice/internal/front"
	"github.com/sluiceio/sluice/cmd/sluice/internal/manual"
)

// completionCmd is `sluice completion`.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help returns the text below the list of flags.
func (*completionCmd) Help() string {
	return `The script completes commands, flags and their values, and runs sluice to do so. For bash it
needs the package bash-completion:

  source <(sluice completion bash)      in ~/.bashrc
  source <(sluice completion zsh)       in ~/.zshrc, after compinit
  sluice completion fish | source       in ~/.config/fish/config.fish`
}

// Run prints the script.
func (c *completionCmd) Run(s cli.Streams, k *kong.Context) error {
	return completion.WriteScript(s.Out, describeCommands(k.Model), c.Shell)
}

// completeCmd is what the scripts run.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" sep:"none" help:"The words of the command line."`
}

// Run prints what may follow the words.
func (c *completeCmd) Run(s cli.Streams, k *kong.Context) error {
	return completion.Complete(s.Out, describeCommands(k.Model), c.Words)
}

// manCmd is `sluice man`.
type manCmd struct {
	Command []string `arg:"" optional:"" help:"The command, as in trace export; default: sluice itself."`
	Dir     *string  `placeholder:"DIR" help:"Write the pages of all commands into DIR, which is made if there is none."`
}

// Help returns the text below the list of flags.
func (*manCmd) Help() string {
	return `Prints one page, or writes all:

  sluice man trace export | man -l -
  sluice man --dir ~/.local/share/man/man1`
}

// Run prints a page, or writes all.
func (c *manCmd) Run(s cli.Streams, k *kong.Context) error {
	root := describeCommands(k.Model)
	if c.Dir != nil {
		if len(c.Command) > 0 {
			return cli.UsageError{Err: fmt.Errorf("man: --dir writes the pages of all commands; want %s left out", report.Quote(strings.Join(c.Command, " ")))}
		}
		return writePages(*c.Dir, root)
	}
	name := strings.Join(c.Command, " ")
	for _, command := range root.All() {
		if command.Path() == name {
			_, err := io.WriteString(s.Out, manual.Page(root, command, cli.Version()))
			return err
		}
	}
	return cli.UsageError{Err: fmt.Errorf("man: unknown command %s; see sluice help", report.Quote(name))}
}

// writePages writes the pages of all commands into dir.
func writePages(dir string, root *cmdline.Command) error {
	if dir == "" {
		return cli.UsageError{Err: cli.ErrEmptyDir}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, c := range root.All() {
		name := filepath.Join(dir, c.Page()+"."+manual.Section)
		if err := os.WriteFile(name, []byte(manual.Page(root, c, cli.Version())), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// values returns the values of flags and arguments that take words, by name.
func values() map[string][]string {
	return map[string][]string{
		"bench <experiment>":    experimentNames(),
		"bench --driver":        {"uring", "aio", "pool"},
		"bench --fs":            {"ext4", "xfs", "btrfs"},
		"bench --mode":          {"regular", "cold", "every-fsync"},
		"bench --programs":      {"sluice", "xcp", "fcp", "cpz", "otiai10", "rsync", "floor"},
		"trace export --format": {"perfetto", "csv", "calls", "compact"},
	}
}

func experimentNames() []string {
	names := []string{"list", "report", "compare"}
	for _, e := range experiments.All {
		names = append(names, e.Name)
	}
	for _, g := range experiments.Groups {
		names = append(names, g.Name)
	}
	return names
}

// describeCommands describes the command line, for manual pages and completions.
func describeCommands(app *kong.Application) *cmdline.Command {
	root := kongline.Describe(app.Node, values())
	root.Detail = "Disk I/O for goroutines: the command copies trees, compares the disk I/O of sluice with os.File's, " +
		"builds programs whose os.File goes through sluice, and shows what this machine allows.\n\n" +
		"If a command takes the name of a file, the name - stands for standard input or standard output, except for cp.\n\n" +
		"The exit status is\n\n" +
		"    0           the command has succeeded\n" +
		"    1           the command has failed (cp: or the command line is wrong)\n" +
		"    2           the command line is wrong\n" +
		"    130, 143    the command was interrupted or terminated\n\n" +
		"A command that runs another program has the program's exit status."
	for i, c := range root.Children {
		switch c.Path() {
		case "cp": // it has a parser of its own
			root.Children[i] = front.DescribeCp(c.Help, front.CpHelp())
		case "bench", "build", "install", "run": // bench report FILE.json, bench compare
			c.Args[0].Words.Files = true
		case "test": // kong gives a command that passes its flags on none of its own
			c.Args[0].Words.Files = true
			c.Flags = append(c.Flags, stressFlags...)
		case "man":
			c.Args[0].Words = cmdline.Words{Words: commandWords(root)}
		}
	}
	return root
}

// commandWords returns the words of which the commands below root consist.
func commandWords(root *cmdline.Command) (words []string) {
	for _, c := range root.All()[1:] {
		for _, word := range strings.Fields(c.Path()) {
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}
