package main

import (
	"cmp"
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sluiceio/sluice/bench/report"
)

// clearly replaces kong's message about a wrong command line by our own: kong's messages
// are about its parser. An unknown message stays as it is.
func clearly(err error) error {
	parse, ok := errors.AsType[*kong.ParseError](err)
	if !ok {
		return err
	}
	at := place{command: parse.Context.Model.Node}
	if selected := parse.Context.Selected(); selected != nil {
		at.command = selected
	}
	text := err.Error()
	for _, s := range sentences {
		if found := regexp.MustCompile(s.of).FindStringSubmatch(text); found != nil {
			return errors.New(s.say(at, found))
		}
	}
	return err
}

// place is the command whose arguments are wrong.
type place struct{ command *kong.Node }

// path returns the command's name, with those of its parents, without the program's.
func (p place) path() string {
	if p.command.Type == kong.ApplicationNode {
		return ""
	}
	return p.command.Path()
}

// prefix returns the beginning of a message about the command, "" for the program itself.
func (p place) prefix() string {
	if path := p.path(); path != "" {
		return path + ": "
	}
	return ""
}

// help returns the end of a message, with the command that prints the help.
func (p place) help() string {
	return "; see " + strings.TrimSpace("sluice help "+p.path())
}

// usage returns the end of a message, with the command's usage line.
func (p place) usage() string { return "; usage: sluice " + p.command.Summary() }

// commands returns the names of the command's subcommands, as a list in words.
func (p place) commands() string {
	var names []string
	for _, child := range p.command.Children {
		if !child.Hidden {
			names = append(names, child.Name)
		}
	}
	return list(names, "and")
}

// many reports whether the command takes any number of arguments. Flags must not stand
// between them.
func (p place) many() bool {
	n := len(p.command.Positional)
	return n > 0 && p.command.Positional[n-1].IsCumulative()
}

// list joins names with commas, and the last two with the word last.
func list(names []string, last string) string {
	n := len(names) - 1
	if n < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}

// suggestion matches kong's suggestion.
const suggestion = `(?:, did you mean (?:one of )?(.*)\?)?`

// guess returns the suggestion as the end of our message.
//
// For a short unknown flag kong suggests -h, which is as near as any other.
func guess(names string) string {
	if names == "" || names == `"-h"` {
		return ""
	}
	return "; did you mean " + list(strings.Split(strings.ReplaceAll(names, `"`, ""), ", "), "or") + "?"
}

// sentences are kong's messages, as regular expressions, and ours. The first that matches is
// used. They are compiled when one is needed: to compile all takes a tenth of the time that a
// small copy takes.
var sentences = []struct {
	of  string
	say func(at place, found []string) string
}{
	{`(?s)^unexpected argument (.*?)` + suggestion + `$`, func(at place, found []string) string {
		switch {
		case at.many():
			return at.prefix() + "flags are between the arguments and " + report.Quote(found[1]) + "; want all arguments together" + at.usage()
		case len(at.command.Children) == 0:
			return at.prefix() + report.Quote(found[1]) + " is an argument too many" + at.usage()
		case found[2] != "" && found[1] != "":
			return at.prefix() + "unknown command " + report.Quote(found[1]) + guess(found[2])
		}
		return at.prefix() + "unknown command " + report.Quote(found[1]) + "; there are " + at.commands()
	}},
	{`^expected (?:one of )?"[^<]`, func(at place, _ []string) string {
		return at.prefix() + "a command is missing; there are " + at.commands()
	}},
	{`^expected "(<.*)"$`, func(at place, found []string) string {
		return at.prefix() + list(strings.Fields(found[1]), "and") + plural(strings.Fields(found[1]), " is missing", " are missing") + at.usage()
	}},
	{`^missing flags: (.*)$`, func(at place, found []string) string {
		return at.prefix() + found[1] + plural(strings.Split(found[1], ", "), " is missing", " are missing") + at.help()
	}},
	{`(?s)^unknown flag (-.*?)` + suggestion + `$`, func(at place, found []string) string {
		return at.prefix() + "unknown flag " + report.Printable(found[1]) + cmp.Or(guess(found[2]), at.help())
	}},
	{`^(--\S+): (?:expected .* value but got "EOL"|missing value, )`, func(_ place, found []string) string {
		return found[1] + ": the value after it is missing"
	}},
	{`(?s)^(--\S+): expected .* value but got "(.*)" \((?:short flag|long flag|short flag tail)\)`, func(_ place, found []string) string {
		return found[1] + `: the value after it is missing; "` + found[2] + `" looks like a flag (` + found[1] + "=" + found[2] + " if it is the value)"
	}},
	{`(?s)^(--\S+): expected duration but got "(.*)": time: `, func(_ place, found []string) string {
		return found[1] + `: "` + found[2] + `" is not a duration; want a number and a unit, as in 300ms or 2s`
	}},
	{`(?s)^(--\S+): expected (?:an int|a valid \d+ bit u?int) but got "(.*)"`, func(_ place, found []string) string {
		return found[1] + `: "` + found[2] + `" is not a whole number, or too large`
	}},
	{`(?s)^(--\S+): expected a float but got "(.*)"`, func(_ place, found []string) string {
		return found[1] + `: "` + found[2] + `" is not a number`
	}},
	{`(?s)^(--\S+): bool value must be .* but got "(.*)"`, func(_ place, found []string) string {
		return found[1] + `: "` + found[2] + `" is neither true nor false; the flag alone turns it on`
	}},
	{`(?s)^(\S+) must be one of (.*) but got "(.*)"$`, func(_ place, found []string) string {
		return found[1] + `: "` + found[3] + `" is not known; there are ` + list(strings.Split(strings.ReplaceAll(found[2], `"`, ""), ","), "and")
	}},
}

func plural(of []string, one, many string) string {
	if len(of) == 1 {
		return one
	}
	return many
}
