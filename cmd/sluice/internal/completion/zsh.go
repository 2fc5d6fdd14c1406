package completion

import (
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
)

// Zsh returns the script for zsh. It is a file of fpath, _sluice, or is sourced after compinit.
func Zsh(root *cmdline.Command) string {
	s := &script{}
	s.lines("#compdef sluice", `# Completions of sluice for zsh, by "sluice completion zsh".`)
	for _, c := range root.All() {
		s.lines("", zshName(c)+"() {")
		if len(c.Children) > 0 {
			zshChildren(s, c)
		} else {
			zshArguments(s, c, nil)
		}
		s.lines("}")
	}
	s.lines("", `if [[ $zsh_eval_context[-1] == loadautofunc ]]; then`, "\t_sluice \"$@\"", "else", "\tcompdef _sluice sluice", "fi")
	return s.String()
}

// zshName returns the name of a command's function.
func zshName(c *cmdline.Command) string { return "_" + strings.ReplaceAll(c.Name, " ", "_") }

// zshChildren writes the function of a command with commands below it.
func zshChildren(s *script, c *cmdline.Command) {
	s.lines("\tlocal curcontext=$curcontext state line", "\tlocal -a commands")
	zshArguments(s, c, []string{"1: :->command", "*:: :->argument"})
	s.lines("\tcase $state in", "\tcommand)", "\t\tcommands=(")
	for _, child := range c.Children {
		s.lines("\t\t\t" + single(last(child)+":"+short(child.Help)))
	}
	if c.Path() == "" {
		s.lines("\t\t\t" + single(helpWord+":Show the help of a command"))
	}
	s.lines("\t\t)", "\t\t_describe command commands", "\t\t;;", "\targument)", "\t\tcase $line[1] in")
	for _, child := range c.Children {
		s.lines(fmt.Sprintf("\t\t%s) %s ;;", last(child), zshName(child)))
	}
	if c.Path() == "" {
		s.lines(fmt.Sprintf("\t\t%s) %s ;;", helpWord, zshName(c)))
	}
	s.lines("\t\tesac", "\t\t;;", "\tesac")
}

// zshArguments writes the call that completes the flags of c, its arguments, and more.
func zshArguments(s *script, c *cmdline.Command, more []string) {
	call := "_arguments"
	if len(c.Children) > 0 {
		call += " -C"
	}
	var specs []string
	for _, f := range c.Flags {
		for _, name := range f.Switches() {
			specs = append(specs, zshFlag(f, name))
		}
	}
	for i, a := range c.Args {
		where := fmt.Sprint(i + 1)
		if a.Many {
			where = "*"
		}
		specs = append(specs, where+":"+zshEscape(strings.Trim(a.Name, "<>[]. "))+":"+zshAction(a.Words))
	}
	s.WriteString("\t" + call)
	for _, spec := range append(specs, more...) {
		s.WriteString(" \\\n\t\t" + single(spec))
	}
	s.lines("")
}

// zshFlag returns the specification of a flag under one of its names.
func zshFlag(f cmdline.Flag, name string) string {
	long := strings.HasPrefix(name, "--")
	help := "[" + zshEscape(short(f.Help)) + "]"
	if f.Value == "" || f.Optional && !long {
		return name + help
	}
	end, colon := "=", ":"
	switch {
	case f.Optional:
		end, colon = "=-", "::"
	case !long:
		end = "+"
	}
	return name + end + help + colon + zshEscape(f.Value) + ":" + zshAction(f.Words)
}

// zshAction returns the action that completes words.
func zshAction(w cmdline.Words) string {
	switch {
	case w.Files && len(w.Words) > 0:
		return `{_alternative "words\:word\:(` + strings.Join(w.Words, " ") + `)" "files\:file\:_files"}`
	case len(w.Words) > 0:
		return "(" + strings.Join(w.Words, " ") + ")"
	case w.Files:
		return "_files"
	case w.Dirs:
		return "_files -/"
	}
	return " " // something that has no completions
}

func zshEscape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
}
