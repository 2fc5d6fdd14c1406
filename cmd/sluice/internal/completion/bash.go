package completion

import (
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
)

// Bash returns the script for bash, from version 3.2.
func Bash(root *cmdline.Command) string {
	s := &script{}
	s.lines(
		`# Completions of sluice for bash, by "sluice completion bash".`,
		`_sluice() {`,
		"\tlocal IFS=$'\\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= given= words= flags= files= i",
		"\t# Bash splits --flag=value into three words.",
		"\tif [[ $cur == = ]]; then",
		"\t\tcur= given=yes",
		"\telif [[ $prev == = ]]; then",
		"\t\tprev=${COMP_WORDS[COMP_CWORD-2]} given=yes",
		"\tfi",
		"\tfor ((i = 1; i < COMP_CWORD; i++)); do",
		"\t\tcase \"$command ${COMP_WORDS[i]}\" in",
	)
	all := root.All()
	for _, c := range all[1:] {
		s.lines(fmt.Sprintf("\t\t%s) command=%s ;;", single(above(c)+" "+last(c)), single(c.Path())))
	}
	s.lines("\t\tesac", "\tdone", "\tcase \"$command $prev$given\" in")
	for _, c := range all {
		for _, f := range c.Flags {
			bashValue(s, c, f)
		}
	}
	s.lines("\t*)", "\t\tcase $command in")
	for _, c := range all {
		bashWords(s, c)
	}
	s.lines(
		"\t\tesac",
		"\t\t[[ $cur == -* ]] && words=$flags files=",
		"\t\t;;",
		"\tesac",
		"\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))",
		"\tif [[ -n $files ]]; then",
		"\t\tcompopt -o filenames 2>/dev/null",
		"\t\tCOMPREPLY+=($(compgen \"$files\" -- \"$cur\"))",
		"\tfi",
		"}",
		"complete -F _sluice sluice",
	)
	return s.String()
}

// above returns the path of the command above c.
func above(c *cmdline.Command) string {
	return strings.TrimSuffix(strings.TrimSuffix(c.Path(), last(c)), " ")
}

// bashValue writes the case of a flag's value.
func bashValue(s *script, c *cmdline.Command, f cmdline.Flag) {
	if f.Value == "" {
		return
	}
	var patterns []string
	for _, name := range f.Switches() {
		if !f.Optional { // else the word after it is an argument
			patterns = append(patterns, single(c.Path()+" "+name))
		}
		if strings.HasPrefix(name, "--") {
			patterns = append(patterns, single(c.Path()+" "+name+"yes"))
		}
	}
	s.lines(fmt.Sprintf("\t%s) %s ;;", strings.Join(patterns, " | "), bashSet(f.Words)))
}

// bashSet returns the commands that set what is completed.
func bashSet(w cmdline.Words) string {
	set := "words=" + list(w.Words)
	switch {
	case w.Files:
		set += " files=-f"
	case w.Dirs:
		set += " files=-d"
	}
	return set
}

// bashWords writes the case of a command's arguments and flags.
func bashWords(s *script, c *cmdline.Command) {
	var w cmdline.Words
	w.Words = childNames(c)
	for _, a := range c.Args {
		w.Words = append(w.Words, a.Words.Words...)
		w.Files = w.Files || a.Words.Files
		w.Dirs = w.Dirs || a.Words.Dirs
	}
	var flags []string
	for _, f := range c.Flags {
		flags = append(flags, f.Switches()...)
	}
	s.lines(fmt.Sprintf("\t\t%s) %s flags=%s ;;", single(c.Path()), bashSet(w), list(flags)))
}

// list returns words with newlines between them, which is what the script's IFS has.
func list(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "$" + single(strings.Join(words, `\n`))
}
