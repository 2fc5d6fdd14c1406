package cmdline

import (
	"cmp"
	"strings"

	"github.com/sluiceio/sluice/bench/report"
)

// NarrowHelp returns the help of a command for a terminal of less than 80 columns, in lines that
// fit (report.SetWidth). The help of a flag begins below the flag: beside it there is no room.
func NarrowHelp(c *Command) string {
	var b strings.Builder
	for i, usage := range c.Usage {
		lead := "Usage: "
		if i > 0 {
			lead = "  or:  "
		}
		b.WriteString(report.Hang(lead, "         ", usage))
	}
	if c.Help != "" {
		b.WriteString("\n" + report.Hang("", "", c.Help))
	}
	for paragraph := range strings.SplitSeq(strings.Trim(c.Detail, "\n"), "\n\n") {
		switch {
		case paragraph == "":
		case strings.HasPrefix(paragraph, " "):
			b.WriteString("\n" + commandLines(paragraph))
		default:
			b.WriteString("\n" + report.Hang("", "", paragraph))
		}
	}
	title := "\nArguments:\n"
	for _, a := range c.Args {
		if a.Help != "" {
			b.WriteString(title + entry(a.Name, a.Help))
			title = ""
		}
	}
	b.WriteString(flagGroups(c.Flags))
	title = "\nCommands:\n"
	for _, child := range c.Children {
		b.WriteString(title + entry(child.Path(), child.Help))
		title = ""
	}
	if len(c.Children) > 0 {
		b.WriteString("\n" + report.Hang("", "", `Run "`+c.Name+` <command> --help" for more information on a command.`))
	}
	return b.String()
}

// flagGroups returns the flags in their groups. Those without a group come first.
func flagGroups(flags []Flag) string {
	titles := []string{""}
	texts := make(map[string]string)
	for _, f := range flags {
		if texts[f.Group] == "" && f.Group != "" {
			titles = append(titles, f.Group)
		}
		texts[f.Group] += entry(f.spec(), f.Help)
	}
	var b strings.Builder
	for _, title := range titles {
		if texts[title] == "" {
			continue
		}
		b.WriteString("\n" + report.Hang("", "", cmp.Or(title, "Flags:")) + texts[title])
	}
	return b.String()
}

// spec returns the flag's names with its value: -o, --output=FILE.
func (f Flag) spec() string {
	spec := strings.Join(f.Names, ", ")
	switch {
	case f.Value == "":
		return spec
	case f.Optional:
		return spec + "[=" + f.Value + "]"
	}
	return spec + "=" + f.Value
}

// entry returns a name and, below it, its help.
func entry(name, help string) string {
	return report.Hang("  ", "    ", name) + report.Hang("      ", "      ", help)
}

// commandLines returns an indented paragraph: commands, each with its explanation below it.
func commandLines(paragraph string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(paragraph, "\n") {
		command, explanation, _ := strings.Cut(strings.TrimSpace(line), "  ")
		b.WriteString(shellLine(command))
		if explanation != "" {
			b.WriteString(report.Hang("      ", "      ", explanation))
		}
	}
	return b.String()
}

// shellLine breaks a command into lines that fit, each but the last with a backslash at its end,
// so that what is copied from the help is still one command.
func shellLine(command string) string {
	line := "  " + command
	if report.Fits(len(line)) {
		return line + "\n"
	}
	var b strings.Builder
	line = " "
	for _, word := range strings.Fields(command) {
		if line != " " && !report.Fits(len(line+" "+word+` \`)) {
			b.WriteString(line + " \\\n")
			line = "     "
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}
