// Package completion completes commands, flags and their values in shells. The scripts and their
// protocol are those of package cobra: for each completion a script runs the program's hidden
// command __complete with the words of the command line.
package completion

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
)

// WriteScript writes the script for a shell: bash, zsh or fish.
func WriteScript(w io.Writer, root *cmdline.Command, shell string) error {
	c := command(root)
	switch shell {
	case "bash":
		return c.GenBashCompletionV2(w, true)
	case "zsh":
		return c.GenZshCompletion(w)
	}
	return c.GenFishCompletion(w, true)
}

// Complete answers a script: it writes the words that may follow args. The last of args is the
// beginning of such a word, or empty.
func Complete(w io.Writer, root *cmdline.Command, args []string) error {
	c := command(root)
	c.SetArgs(append([]string{cobra.ShellCompRequestCmd}, args...))
	c.SetOut(w)
	c.SetErr(io.Discard) // the scripts do not read it
	return c.Execute()
}

// command returns cobra's description of a command, and of the commands below it.
func command(of *cmdline.Command) *cobra.Command {
	c := &cobra.Command{Use: of.Name[strings.LastIndexByte(of.Name, ' ')+1:], Short: short(of.Help)}
	c.FParseErrWhitelist.UnknownFlags = true // of go build, for one
	if len(of.Children) == 0 {
		c.Run = func(*cobra.Command, []string) {} // cobra offers only commands that run
	}
	var args cmdline.Words
	for _, a := range of.Args {
		args.Words = append(args.Words, a.Words.Words...)
		args.Files = args.Files || a.Words.Files
		args.Dirs = args.Dirs || a.Words.Dirs
	}
	c.ValidArgsFunction = words(args)
	for _, f := range of.Flags {
		addFlag(c, f)
	}
	for _, child := range of.Children {
		c.AddCommand(command(child))
	}
	return c
}

// addFlag adds a flag under its long names. The first long name has the last short one. Cobra knows
// no flag without a long name.
func addFlag(c *cobra.Command, f cmdline.Flag) {
	letter := ""
	for _, name := range f.Switches() {
		long, ok := strings.CutPrefix(name, "--")
		if !ok {
			letter = name[1:]
			continue
		}
		if f.Value == "" {
			c.Flags().BoolP(long, letter, false, short(f.Help))
		} else {
			c.Flags().StringP(long, letter, "", short(f.Help))
			if f.Optional {
				c.Flags().Lookup(long).NoOptDefVal = f.Value
			}
			if err := c.RegisterFlagCompletionFunc(long, words(f.Words)); err != nil {
				panic(err) // of a flag that is not there
			}
		}
		letter = ""
	}
}

// words returns what completes a value.
func words(w cmdline.Words) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case w.Files:
			return w.Words, cobra.ShellCompDirectiveDefault
		case w.Dirs:
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return w.Words, cobra.ShellCompDirectiveNoFileComp
	}
}

// short returns the first sentence of a help, which has its place beside a word.
func short(help string) string {
	for _, end := range []string{": ", "; ", ". "} {
		help, _, _ = strings.Cut(help, end)
	}
	if before, after, ok := strings.Cut(help, " ("); ok && !strings.Contains(after, ")") {
		help = before // the end was in brackets
	}
	return strings.TrimSuffix(help, ".")
}
