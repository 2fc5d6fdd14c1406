package completion

import (
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
)

// Fish returns the script for fish.
func Fish(root *cmdline.Command) string {
	s := &script{}
	s.lines(
		`# Completions of sluice for fish, by "sluice completion fish".`,
		"function __sluice_at --description 'Test whether the command line has this command'",
		"    set -l command ''",
		"    for word in (commandline -opc)[2..-1]",
		"        switch \"$command $word\"",
	)
	all := root.All()
	for _, c := range all[1:] {
		s.lines("            case "+fishQuote(above(c)+" "+last(c)), "                set command "+fishQuote(c.Path()))
	}
	s.lines(
		"        end",
		"    end",
		"    test \"$command\" = \"$argv[1]\"",
		"end",
		"",
		"complete -c "+program+" -f",
	)
	for _, c := range all {
		at := "complete -c " + program + " -n " + fishQuote("__sluice_at "+fishQuote(c.Path()))
		for _, child := range c.Children {
			s.lines(at + " -a " + last(child) + " -d " + fishQuote(short(child.Help)))
		}
		if c.Path() == "" {
			s.lines(at + " -a " + helpWord + " -d 'Show the help of a command'")
		}
		for _, a := range c.Args {
			if w := fishWords(a.Words); w != "" {
				s.lines(at + w)
			}
		}
		for _, f := range c.Flags {
			s.lines(at + fishFlag(f))
		}
	}
	return s.String()
}

// fishFlag returns the options of complete for a flag.
func fishFlag(f cmdline.Flag) string {
	var b strings.Builder
	for _, name := range f.Switches() {
		if long, ok := strings.CutPrefix(name, "--"); ok {
			b.WriteString(" -l " + long)
		} else {
			b.WriteString(" -s " + strings.TrimPrefix(name, "-"))
		}
	}
	if f.Value != "" {
		if !f.Optional {
			b.WriteString(" -r")
		}
		if !f.Words.Files {
			b.WriteString(" -f")
		}
		b.WriteString(fishWords(f.Words))
	}
	return b.String() + " -d " + fishQuote(short(f.Help))
}

// fishWords returns the options of complete for a value.
func fishWords(w cmdline.Words) (options string) {
	if len(w.Words) > 0 {
		options = " -a " + fishQuote(strings.Join(w.Words, " "))
	}
	switch {
	case w.Files:
		options += " -F"
	case w.Dirs:
		options += ` -a '(__fish_complete_directories (string replace -r "^--[^=]*=" "" -- (commandline -ct)))'`
	}
	return options
}

// fishQuote returns text as one word.
func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
