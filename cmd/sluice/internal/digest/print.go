package digest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/trace"
)

var opTable = report.Table{
	{Head: "operation", Width: 9},
	{Head: "path", Width: 8},
	{Head: "count", Width: 6, Align: report.Right},
	{Head: "bytes", Width: 9, Align: report.Right},
	{Head: "time in", Width: 7},
	{Head: "p50", Width: 6, Align: report.Right},
	{Head: "p90", Width: 6, Align: report.Right},
	{Head: "p99", Width: 6, Align: report.Right},
	{Head: "p99.9", Width: 6, Align: report.Right},
}

// classTable has the columns of opTable, with one column instead of the first two.
var classTable = append(report.Table{{Head: "class", Width: 19}}, opTable[2:]...)

var callTable = report.Table{
	{Head: "system call", Width: 17},
	{Head: "count", Width: 6, Align: report.Right},
	{Head: "total", Width: 6, Align: report.Right},
	{Head: "p50", Width: 6, Align: report.Right},
	{Head: "p99", Width: 6, Align: report.Right},
	{Head: "max", Width: 6, Align: report.Right},
	{Head: "batch\np50", Width: 5, Align: report.Right},
	{Head: "\nmax", Width: 5, Align: report.Right},
	{Head: "failed", Width: 6, Align: report.Right},
}

// Print returns the digest of a trace as text.
func Print(t *trace.Trace) string {
	d := Of(t)
	var b strings.Builder
	d.head(&b, t)
	if len(d.Ops) > 0 {
		b.WriteString("\n" + opTable.Header())
		for i := range d.Ops {
			g := &d.Ops[i]
			g.print(&b, opTable, g.Kind.String(), g.Path.String())
		}
	}
	if len(d.Classes) > 0 {
		b.WriteString("\n" + classTable.Header())
		for i := range d.Classes {
			g := &d.Classes[i]
			g.print(&b, classTable, cut(t.Classes[g.Class], classTable[0].Width))
		}
	}
	if len(d.Calls) > 0 {
		b.WriteString("\n" + callTable.Header())
		for i := range d.Calls {
			b.WriteString(d.Calls[i].row())
		}
	}
	return b.String()
}

func (d *Digest) head(b *strings.Builder, t *trace.Trace) {
	m := &t.Meta
	b.WriteString(report.Wrap(report.Printable(strings.Join(filled(
		m.Program, m.Driver, strings.TrimSpace(m.OS+"/"+m.Arch+" "+m.Kernel), m.GoVersion), "; "))))
	if !m.Start.IsZero() {
		b.WriteString(report.Wrap(fmt.Sprintf("%s of events after %s", Time(d.Span), m.Start.Format("2006-01-02 15:04:05 -0700"))))
	}
	b.WriteString(report.Wrap(fmt.Sprintf("%s operations, at most %d at a time; %s read, %s written",
		count(len(t.Ops)), d.Most, report.Bytes(d.Read), report.Bytes(d.Written))))
	switch {
	case m.Lost > 0 && m.KeptOldest:
		b.WriteString(report.Wrap(count(m.Lost) + " later events are lost: the recording had no more room, in memory or on the disk"))
	case m.Lost > 0:
		b.WriteString(report.Wrap(count(m.Lost) + " earlier events are lost: the buffers were full"))
	default:
		b.WriteString("no events lost\n")
	}
	if m.LabelsEnd > 0 {
		b.WriteString(report.Wrap(fmt.Sprintf("labels are unknown after %s: there was no room for more changes of labels", Time(m.LabelsEnd))))
	}
	for i := range d.Ops {
		if g := &d.Ops[i]; g.Failed > 0 {
			b.WriteString(report.Wrap(fmt.Sprintf("%s of %s (%s) failed", count(g.Failed), g.Kind, g.Path)))
		}
	}
}

// filled returns the texts that are not empty.
func filled(texts ...string) (some []string) {
	for _, s := range texts {
		if s != "" && s != "/" {
			some = append(some, s)
		}
	}
	return some
}

// cut returns s in at most n columns, without unprintable characters.
func cut(s string, n int) string {
	if r := []rune(report.Printable(s)); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return report.Printable(s)
}

// print writes a row for each place in which operations spent time. Operations by plain
// calls spent none in a queue or in waking up. of is the first cells of the first row.
func (g *Group) print(b *strings.Builder, in report.Table, of ...string) {
	cells := append(of, count(g.Count), report.Bytes(g.Bytes))
	for _, row := range []struct {
		name string
		q    Quantiles
	}{{"queue", g.Queue}, {"device", g.Device}, {"wake", g.Wake}} {
		if row.q.Max == 0 && row.name != "device" {
			continue
		}
		q := row.q
		b.WriteString(in.Row(append(cells, row.name, Time(q.P50), Time(q.P90), Time(q.P99), Time(q.P999))...))
		cells = make([]string, len(cells))
	}
}

func (g *CallGroup) row() string {
	batch, most := "", ""
	if g.Batch.Max > 0 {
		batch, most = count(g.Batch.P50), count(g.Batch.Max)
	}
	failed := ""
	if g.Failed > 0 {
		failed = count(g.Failed)
	}
	return callTable.Row(g.Syscall, count(g.Count), Time(g.Total),
		Time(g.Took.P50), Time(g.Took.P99), Time(g.Took.Max), batch, most, failed)
}

// count returns n in at most six characters.
func count[N ~int | ~int64](n N) string {
	if n < 100_000 {
		return strconv.FormatInt(int64(n), 10)
	}
	return report.Count(float64(n))
}

// Time returns d in at most six characters: 840ns, 12.3µs, 4.56ms, 7.89s.
func Time(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Time(-d)
	case d < time.Microsecond:
		return fmt.Sprintf("%dns", d)
	case d < time.Millisecond-500*time.Nanosecond:
		return three(float64(d)/1e3) + "µs"
	case d < time.Second-500*time.Microsecond:
		return three(float64(d)/1e6) + "ms"
	case d < 10_000*time.Second:
		return three(d.Seconds()) + "s"
	}
	return fmt.Sprintf("%.0fh", d.Hours())
}

// three returns v, 1 to 9999, with at least three significant digits.
func three(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
