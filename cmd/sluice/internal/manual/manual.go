// Package manual makes manual pages, in the macros of man(7).
package manual

import (
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
)

// Section is the section of the pages: 1, user commands.
const Section = "1"

// Page returns the manual page of c, a command of root.
func Page(root, c *cmdline.Command, version string) string {
	p := &page{}
	p.line(".TH %s %s \"\" %s %s", quoted(strings.ToUpper(c.Page())), Section, quoted("sluice "+version), quoted("User Commands"))
	p.line(".SH NAME")
	p.text(c.Page() + " \\- " + escape(strings.TrimSuffix(c.Help, ".")))
	p.line(".SH SYNOPSIS")
	p.line(".nf")
	for _, usage := range c.Usage {
		p.text(`\fB` + escape(usage) + `\fR`)
	}
	p.line(".fi")
	if c.Detail != "" {
		p.line(".SH DESCRIPTION")
		p.prose(c.Detail)
	}
	p.arguments(c.Args)
	p.commands(c.Children)
	p.flags(c.Flags)
	p.seeAlso(root, c)
	return p.String()
}

// page is a page that is being written.
type page struct{ strings.Builder }

// line writes a line with a macro.
func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// text writes a line of text that is escaped already. A line that begins with a dot or an
// apostrophe would be a macro.
func (p *page) text(line string) {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	p.WriteString(line + "\n")
}

// prose writes paragraphs. The lines of a paragraph that is indented stay as they are.
func (p *page) prose(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			p.line(".PP")
		}
		indented := strings.HasPrefix(paragraph, " ")
		if indented {
			p.line(".nf")
		}
		for line := range strings.SplitSeq(strings.TrimRight(paragraph, "\n"), "\n") {
			if !indented {
				line = strings.TrimSpace(line)
			}
			p.text(escape(line))
		}
		if indented {
			p.line(".fi")
		}
	}
}

func (p *page) arguments(args []cmdline.Arg) {
	described := false
	for _, a := range args {
		if a.Help == "" {
			continue
		}
		if !described {
			p.line(".SH ARGUMENTS")
			described = true
		}
		p.tagged(escape(a.Name), a.Help)
	}
}

func (p *page) commands(children []*cmdline.Command) {
	if len(children) == 0 {
		return
	}
	p.line(".SH COMMANDS")
	for _, child := range children {
		p.tagged(`\fB`+escape(child.Name)+`\fR`, child.Help)
	}
}

// flags writes the flags in their groups. Those without a group come first.
func (p *page) flags(flags []cmdline.Flag) {
	if len(flags) > 0 {
		p.line(".SH OPTIONS")
	}
	var groups []string
	byGroup := make(map[string][]cmdline.Flag)
	for _, f := range flags {
		if _, ok := byGroup[f.Group]; !ok && f.Group != "" {
			groups = append(groups, f.Group)
		}
		byGroup[f.Group] = append(byGroup[f.Group], f)
	}
	for _, group := range append([]string{""}, groups...) {
		if group != "" {
			p.line(".SS %s", quoted(group))
		}
		for _, f := range byGroup[group] {
			p.tagged(spec(f), f.Help)
		}
	}
}

// spec returns a flag's names with its value.
func spec(f cmdline.Flag) string {
	names := make([]string, len(f.Names))
	for i, name := range f.Names {
		names[i] = `\fB` + escape(name) + `\fR`
		if f.Value == "" || i < len(f.Names)-1 {
			continue
		}
		value := `=\fI` + escape(f.Value) + `\fR`
		if !strings.HasPrefix(name, "--") {
			value = value[1:]
		}
		if f.Optional {
			value = "[" + value + "]"
		}
		names[i] += value
	}
	return strings.Join(names, ", ")
}

// tagged writes a paragraph with a tag, which is escaped already.
func (p *page) tagged(tag, text string) {
	p.line(".TP")
	p.text(tag)
	p.text(escape(text))
}

// seeAlso refers to the other pages: of the program to those of its commands, of a command to
// the command above it.
func (p *page) seeAlso(root, c *cmdline.Command) {
	var others []string
	for _, other := range root.All() {
		if other != c && (other == root || c == root || strings.HasPrefix(other.Name, c.Name+" ") || strings.HasPrefix(c.Name, other.Name+" ")) {
			others = append(others, other.Page())
		}
	}
	p.line(".SH SEE ALSO")
	for i, name := range others {
		comma := ","
		if i == len(others)-1 {
			comma = ""
		}
		p.line(".BR %s (%s)%s", escape(name), Section, comma)
	}
}

// escaper escapes what has a meaning in roff. A plain hyphen may be shown as another character.
var escaper = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "±", `\(+-`, "'", `\(aq`)

func escape(text string) string { return escaper.Replace(text) }

// quoted returns the argument of a macro.
func quoted(text string) string { return `"` + strings.ReplaceAll(escape(text), `"`, `\(dq`) + `"` }
