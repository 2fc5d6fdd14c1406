package cmdline

import "strings"

// FromText describes a command by the text of its help, as GNU programs have it: usage lines, a
// sentence, headings that begin a line, flags that are indented, with their help from column
// 31 on, and paragraphs at the end. words are values by the names of flags.
func FromText(name, help, text string, words map[string]Words) *Command {
	c := &Command{Name: name, Help: help}
	var detail []string
	heading, flag := "", -1
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, paragraph := range paragraphs {
		lines := strings.Split(paragraph, "\n")
		hasFlags := len(lines) > 1 && isFlag(lines[1])
		if i > 0 && !hasFlags {
			detail = append(detail, paragraph)
			continue
		}
		for j, line := range lines {
			switch {
			case i == 0:
				if usage, ok := usageOf(line); ok {
					c.Usage = append(c.Usage, usage)
				} else {
					detail = append(detail, line)
				}
			case j == 0:
				heading = line
			case isFlag(line):
				c.Flags = append(c.Flags, flagLine(line, heading, words))
				flag = len(c.Flags) - 1
			case flag >= 0:
				c.Flags[flag].Help += " " + strings.TrimSpace(line)
			}
		}
	}
	c.Detail = strings.Join(detail, "\n\n")
	return c
}

func usageOf(line string) (usage string, ok bool) {
	for _, prefix := range []string{"Usage: ", "  or:  "} {
		if usage, ok = strings.CutPrefix(line, prefix); ok {
			return usage, true
		}
	}
	return "", false
}

// isFlag reports whether a line begins with a flag. A line that goes on with a help has more
// spaces before it.
func isFlag(line string) bool {
	return strings.HasPrefix(line, "  -") || strings.HasPrefix(line, "      --")
}

// column is where the help of a flag begins.
const column = 31

// flagLine returns the flag of its first line.
func flagLine(line, heading string, words map[string]Words) Flag {
	f := Flag{Group: heading}
	spec := line
	if len(line) > column {
		spec, f.Help = line[:column], line[column:]
	}
	for name := range strings.SplitSeq(strings.TrimSpace(spec), ", ") {
		if before, value, ok := strings.Cut(name, "[="); ok {
			name, f.Value, f.Optional = before, strings.TrimSuffix(value, "]"), true
		} else if before, value, ok := strings.Cut(name, "="); ok {
			name, f.Value = before, value
		}
		f.Names = append(f.Names, name)
		if w, ok := words[name]; ok {
			f.Words = w
		}
	}
	return f
}
