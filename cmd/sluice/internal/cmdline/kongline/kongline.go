// Package kongline describes the command line of a kong parser. It is not in package cmdline
// because sluice cp, whose help package cmdline lays out, starts sooner without kong.
package kongline

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
)

// Describe describes the commands of a kong model that are not hidden. words are values by the
// name of what takes them: "bench --driver", or "bench <experiment>".
func Describe(n *kong.Node, words map[string][]string) *cmdline.Command {
	c := &cmdline.Command{Name: n.FullPath(), Help: n.Help, Detail: n.Detail, Usage: []string{"sluice " + n.Summary()}, Foreign: n.Passthrough}
	if n.Type == kong.ApplicationNode {
		c.Usage = []string{n.Name + " <command> [flags]"}
	}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			c.Flags = append(c.Flags, flagOf(c, f, words))
		}
	}
	for _, p := range n.Positional {
		c.Args = append(c.Args, cmdline.Arg{
			Name: p.Summary(), Help: p.Help, Many: p.IsCumulative(),
			Words: wordsOf(p, p.Name, words[c.Path()+" <"+p.Name+">"]),
		})
	}
	for _, child := range n.Children {
		if !child.Hidden {
			c.Children = append(c.Children, Describe(child, words))
		}
	}
	return c
}

func flagOf(c *cmdline.Command, f *kong.Flag, words map[string][]string) cmdline.Flag {
	long := "--" + f.Name
	flag := cmdline.Flag{Help: f.Help, Words: wordsOf(f.Value, f.PlaceHolder, words[strings.TrimSpace(c.Path()+" "+long)])}
	if f.Group != nil {
		flag.Group = f.Group.Title
	}
	if f.Short != 0 {
		flag.Names = append(flag.Names, "-"+string(f.Short))
	}
	switch {
	case f.IsBool() && f.Tag.Negatable != "":
		long = "--[no-]" + f.Name
	case !f.IsBool() && !f.IsCounter():
		flag.Value = strings.Trim(f.FormatPlaceHolder(), `"`)
	}
	flag.Names = append(flag.Names, long)
	return flag
}

// wordsOf returns what a value may be. name is what the help calls it.
func wordsOf(v *kong.Value, name string, words []string) cmdline.Words {
	switch {
	case v.Enum != "":
		return cmdline.Words{Words: v.EnumSlice()}
	case words != nil:
		return cmdline.Words{Words: words}
	}
	name = strings.ToLower(name)
	return cmdline.Words{
		Files: slices.Contains([]string{"file", "page", "out", "args", "command"}, name),
		Dirs:  name == "dir" || name == "path" || v.Name == "dir",
	}
}
