package cp

import "github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"

// Manual describes the command line, for its manual page and for completions. help is one
// sentence.
func Manual(help string) *cmdline.Command {
	c := cmdline.FromText("sluice cp", help, helpText, map[string]cmdline.Words{
		"--sparse":           {Words: names(sparseWords)},
		"--reflink":          {Words: names(reflinkWords)},
		"--update":           {Words: names(updateWords)},
		"--sync":             {Words: names(syncWords)},
		"--backup":           {Words: names(backupWords)},
		"--preserve":         {Words: names(preserveWords)},
		"--no-preserve":      {Words: names(preserveWords)},
		"--target-directory": {Dirs: true},
		"--json":             {Files: true},
	})
	c.Args = []cmdline.Arg{{Name: "SOURCE", Many: true, Words: cmdline.Words{Files: true}}}
	return c
}

func names[T comparable](words []word[T]) (all []string) {
	for _, w := range words {
		all = append(all, w.names[0])
	}
	return all
}
