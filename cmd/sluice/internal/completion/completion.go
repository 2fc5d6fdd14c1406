// Package completion makes the scripts that complete commands and flags in shells. The scripts
// are for one version of the command: they do not run it.
package completion

import (
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
)

// program is the name of the command that is completed.
const program = "sluice"

// helpWord is a command of the program that its model does not have. The words after it are
// those of another command.
const helpWord = "help"

// script is a script that is being written.
type script struct{ strings.Builder }

// lines writes lines.
func (s *script) lines(lines ...string) {
	for _, line := range lines {
		s.WriteString(line + "\n")
	}
}

// single returns text as one word of a shell: in single quotes. It is right for bash and zsh.
func single(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// childNames returns the names of the commands after c, with the word help after the program.
func childNames(c *cmdline.Command) (names []string) {
	for _, child := range c.Children {
		names = append(names, last(child))
	}
	if c.Path() == "" {
		names = append(names, helpWord)
	}
	return names
}

// last returns the last word of a command's name.
func last(c *cmdline.Command) string { return c.Name[strings.LastIndexByte(c.Name, ' ')+1:] }

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
