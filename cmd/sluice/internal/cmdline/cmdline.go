// Package cmdline describes a command line: its commands, their flags and arguments. Manual
// pages and completions are made from it.
package cmdline

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Command is a command, or the program itself.
type Command struct {
	Name     string // with the program's: "sluice trace export"
	Help     string // one sentence
	Usage    []string
	Detail   string // paragraphs; indented lines stay as they are
	Flags    []Flag
	Args     []Arg
	Children []*Command
	// Foreign is set if the flags are those of another command, which are not described here.
	Foreign bool
}

// Flag is a flag of a command.
type Flag struct {
	Names    []string // "-o", "--output", or "--[no-]save"
	Value    string   // the name of its value, "" if it has none
	Optional bool     // the value may be missing
	Group    string   // the heading above it, "" if it has none
	Help     string
	Words    Words
}

// Arg is an argument that is not a flag.
type Arg struct {
	Name  string // "<file>", "[<experiment> ...]"
	Help  string
	Many  bool
	Words Words
}

// Words are what a value may be.
type Words struct {
	Words       []string
	Files, Dirs bool
}

// Path returns the words of the command after the program's name: "trace export".
func (c *Command) Path() string {
	_, path, _ := strings.Cut(c.Name, " ")
	return path
}

// Page returns the name of the command's manual page, without the section: sluice-trace-export.
func (c *Command) Page() string { return strings.ReplaceAll(c.Name, " ", "-") }

// All returns the command and all below it.
func (c *Command) All() []*Command {
	all := []*Command{c}
	for _, child := range c.Children {
		all = append(all, child.All()...)
	}
	return all
}

// Switches returns the flag's names as one types them, each as often as it has forms.
func (f Flag) Switches() (names []string) {
	for _, name := range f.Names {
		if plain, ok := strings.CutPrefix(name, "--[no-]"); ok {
			names = append(names, "--"+plain, "--no-"+plain)
			continue
		}
		names = append(names, name)
	}
	return names
}

// FromKong describes the commands of a kong model that are not hidden. words are values by the
// name of what takes them: "bench --driver", or "bench <experiment>".
func FromKong(n *kong.Node, words map[string][]string) *Command {
	c := &Command{Name: n.FullPath(), Help: n.Help, Detail: n.Detail, Usage: []string{"sluice " + n.Summary()}, Foreign: n.Passthrough}
	if n.Type == kong.ApplicationNode {
		c.Usage = []string{n.Name + " <command> [flags]"}
	}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			c.Flags = append(c.Flags, flagOf(c, f, words))
		}
	}
	for _, p := range n.Positional {
		c.Args = append(c.Args, Arg{
			Name: p.Summary(), Help: p.Help, Many: p.IsCumulative(),
			Words: wordsOf(p, p.Name, words[c.Path()+" <"+p.Name+">"]),
		})
	}
	for _, child := range n.Children {
		if !child.Hidden {
			c.Children = append(c.Children, FromKong(child, words))
		}
	}
	return c
}

func flagOf(c *Command, f *kong.Flag, words map[string][]string) Flag {
	long := "--" + f.Name
	flag := Flag{Help: f.Help, Words: wordsOf(f.Value, f.PlaceHolder, words[strings.TrimSpace(c.Path()+" "+long)])}
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
func wordsOf(v *kong.Value, name string, words []string) Words {
	switch {
	case v.Enum != "":
		return Words{Words: v.EnumSlice()}
	case words != nil:
		return Words{Words: words}
	}
	name = strings.ToLower(name)
	return Words{
		Files: slices.Contains([]string{"file", "page", "out", "args", "command"}, name),
		Dirs:  name == "dir" || name == "path" || v.Name == "dir",
	}
}
