package doctor

import (
	"strings"

	"github.com/sluiceio/sluice/bench/report"
)

// nameWidth is the length of the longest name of a check.
const nameWidth = 14

// String returns the report as text.
func (r *Report) String() string {
	var b strings.Builder
	b.WriteString(report.Wrap("sluice doctor: what this machine allows; file system of "+report.Printable(r.Dir)) + "\n")
	for _, c := range r.Checks {
		b.WriteString(c.String())
	}
	b.WriteString("\n")
	for line := range strings.Lines(r.Driver) {
		text := strings.TrimLeft(report.Printable(strings.TrimSuffix(line, "\n")), " ")
		indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " ")))
		b.WriteString(report.Hang(indent, indent+"  ", text))
	}
	return b.String()
}

// String returns the check in one line, or in more if it is long or has advice.
func (c Check) String() string {
	const statusWidth = 4
	indent := strings.Repeat(" ", statusWidth+2+nameWidth+2)
	status, name := pad(string(c.Status), statusWidth), pad(c.Name, nameWidth)
	text := report.Hang(status+"  "+name+"  ", indent, report.Printable(c.Found))
	if c.Advice != "" {
		text += report.Hang(indent+"-> ", indent+"   ", report.Printable(c.Advice))
	}
	return text
}

func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-len(s))) }
