package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// These lines enclose the part of a page that this command writes.
const (
	begin = "<!-- make results replaces what follows -->"
	end   = "<!-- make results: end -->"
)

// errMarkers is the error for a page in which this command cannot find its part.
var errMarkers = errors.New("it has not one pair of the lines " + begin + " and " + end + "; put them around what was measured")

// replace returns old with the part between the markers replaced. A new page consists of the title
// and the part.
func replace(old, title, part string) (string, error) {
	if old == "" {
		old = "# " + title + "\n\n" + begin + "\n" + end + "\n"
	}
	head, rest, ok := strings.Cut(old, begin+"\n")
	_, tail, ended := strings.Cut(rest, end+"\n")
	if !ok || !ended || strings.Count(old, begin) != 1 || strings.Count(old, end) != 1 {
		return "", errMarkers
	}
	return head + begin + "\n" + part + end + "\n" + tail, nil
}

// splice returns the page old with the results of m in place of earlier results.
func splice(old string, p page, m measured) (string, error) {
	return replace(old, p.name+": "+p.summary, m.part(p))
}

// part returns the part of a page that this command writes.
func (m measured) part(p page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | |\n|---|---|\n| command | `sluice bench %s` |\n", strings.Join(m.args, " "))
	if m.quick {
		b.WriteString("| form | tiny, as a test of `make results`: the figures mean nothing |\n")
	}
	fmt.Fprintf(&b, "| machine | %s |\n| version | %s |\n| date | %s |\n", m.run.Machine, m.run.Version, m.date())
	for _, text := range m.without {
		fmt.Fprintf(&b, "| left out | %s |\n", text)
	}
	fmt.Fprintf(&b, "| raw | [results.json.gz](%s/%s/results.json.gz), for `sluice bench report` and `compare` |\n\n", dataDir, p.name)
	fmt.Fprintf(&b, "```\n%s\n```\n\n", strings.Trim(m.text, "\n"))
	for _, name := range m.pictures {
		fmt.Fprintf(&b, "![%s](%s/%s/%s)\n\n", strings.TrimSuffix(name, ".svg"), dataDir, p.name, name)
	}
	return b.String()
}

func (m measured) date() string { return m.run.Finished.Format("2006-01-02") }

// contents writes the table of all pages in README.md.
func (w *writer) contents() error {
	var b strings.Builder
	b.WriteString("| page | compares | command |\n|---|---|---|\n")
	for _, p := range pages {
		name, command := fmt.Sprintf("[%s](%[1]s.md)", p.name), "sluice bench "+strings.Join(p.args, " ")
		text, err := os.ReadFile(filepath.Join(w.out, p.name+".md"))
		if err != nil {
			name = p.name + ": no run yet"
		} else if measured := commandOf(string(text)); measured != "" {
			command = measured
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` |\n", name, p.summary, command)
	}
	return w.rewrite("README", func(old string) (string, error) { return replace(old, "What was measured", b.String()) })
}

// commandOf returns the command that a page gives for its results, or "". It may differ from the
// page's command in a full run.
func commandOf(page string) string {
	_, rest, _ := strings.Cut(page, "| command | `")
	command, _, _ := strings.Cut(rest, "`")
	return command
}
