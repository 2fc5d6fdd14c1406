// Package cmdline describes a command line: its commands, their flags and arguments. Manual
// pages and completions are made from it.
package cmdline

import "strings"

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
