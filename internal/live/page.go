package live

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// style is the style sheet of the page. Tables scroll in themselves where the window is narrow, and
// the rarer columns (class w) are left out there.
const style = `
:root { color-scheme: light dark; --line: light-dark(#d8d8d8, #444); --dim: light-dark(#666, #aaa); --busy: light-dark(#0b57a4, #7cb7ff); }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1rem auto; max-width: 72rem; padding: 0 1rem; background: light-dark(#fff, #181818); color: light-dark(#1a1a1a, #e8e8e8); }
h1 { font-size: 1.25rem; margin: 0 } h2 { font-size: 1rem; margin: 1.4rem 0 .3rem }
p { margin: .3rem 0 } .dim { color: var(--dim) } a { color: var(--busy) }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .6rem 0 }
table { border-collapse: collapse; width: 100% } caption { text-align: left; color: var(--dim); padding: .1rem 0 }
th, td { text-align: right; padding: .15rem .5rem; border-bottom: 1px solid var(--line); white-space: nowrap; font-variant-numeric: tabular-nums }
th { font-weight: 600; color: var(--dim) }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere; width: 40% }
td.busy { font-weight: 600; color: var(--busy) }
@media (max-width: 40rem) { .w { display: none } body { font-size: 13px; padding: 0 .6rem } th, td { padding: .15rem .3rem } }
`

// styleDigest is the SHA-256 of style. TestPolicy says what it is. To compute it here would take
// crypto/sha256 into each program of "sluice build".
const styleDigest = "pue1q9puvjlNX4mtIGhW1HhDjZh4z/vupYBrBgTbJ5E="

// pagePolicy allows the page its style and nothing else.
const pagePolicy = "default-src 'none'; img-src data:; style-src 'sha256-" + styleDigest + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// escape makes text of HTML out of any text.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\uFFFD")

// page returns the figures as a web page, which has no script.
func (f *Figures) page(q Query) []byte {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	if !q.still {
		b.WriteString("<meta http-equiv=\"refresh\" content=\"1\">\n")
	}
	program := escape.Replace(f.Program)
	fmt.Fprintf(&b, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s – sluice</title>\n", program)
	fmt.Fprintf(&b, "<link rel=\"icon\" href=\"data:,\">\n<style>%s</style>\n</head>\n<body>\n", style)
	fmt.Fprintf(&b, "<h1>%s <span class=\"dim\">%d</span></h1>\n<p>%s</p>\n", program, f.PID, escape.Replace(f.Headline()))
	b.WriteString(links(q))
	if len(f.Schedulers) > 0 {
		f.tables(&b)
	}
	b.WriteString("</body>\n</html>\n")
	return []byte(b.String())
}

// links returns the links to the traces and to the other form.
func links(q Query) string {
	refresh := `<a href="?refresh=off">Stop refreshing</a>`
	if q.still {
		refresh = `<a href="?">Refresh</a>`
	}
	return `<nav>` + refresh + `<a href="?seconds=5">Trace of 5 s</a><a href="?seconds=30">Trace of 30 s</a>` +
		`<a href="?seconds=5&amp;format=trace">Trace as a file</a><a href="?format=json">JSON</a></nav>` + "\n"
}

// Headline says in one line what the Schedulers are, and what they do.
func (f *Figures) Headline() string {
	if len(f.Schedulers) == 0 {
		return "No Scheduler is open in this process."
	}
	var drivers []string
	for _, s := range f.Schedulers {
		d := s.Driver
		if d == "" {
			d = "no driver yet"
		}
		if s.LostRings > 0 {
			d += " (rings lost)"
		}
		drivers = append(drivers, d)
	}
	text := strings.Join(drivers, ", ")
	if f.OpenFiles > 0 { // os.Files do not count
		text += fmt.Sprintf("; %d files open", f.OpenFiles)
	}
	text += fmt.Sprintf("; %s, %s", f.Go, f.Time.UTC().Format(time.DateTime))
	if f.Lost > 0 {
		text += fmt.Sprintf("; rates by kind, class and file are estimated: %d events did not fit", f.Lost)
	}
	return text
}

// column is a column of a table. The page leaves a rare one out of a narrow window.
type column struct {
	title string
	rare  bool
}

func (f *Figures) tables(b *strings.Builder) {
	table(b, "By path", "", []column{{"path", false}, {"in flight", false}, {"waiting", false}, {"ops/s", false}}, f.Paths, func(p Path) []string {
		return []string{p.Name, Count(p.InFlight), Count(p.Waiting), Rate(p.Rate)}
	})
	table(b, "By device", "Calls have a permit each; a goroutine without one waits.",
		[]column{{"device", false}, {"queued", false}, {"calls", false}, {"waiting", false}, {"permits", true}, {"rings", true}}, f.Devices, func(d Device) []string {
			return []string{d.Name, Count(d.Queued), Count(d.Plain), Count(d.Waiting), Count(d.Permits), Count(d.Rings)}
		})
	table(b, "By operation", "", []column{{"operation", false}, {"mean", true}, {"ops/s", false}, {"bytes/s", true}, {"p50", false}, {"p99", false}, {"max", true}}, f.Kinds, func(g Group) []string {
		return []string{g.Name, Mean(g.Mean), Rate(g.Rate), Bytes(g.Bytes), Latency(g.P50), Latency(g.P99), Latency(g.Max)}
	})
	groups := func(title, note, of string, all []Group) {
		table(b, title, note, []column{{of, false}, {"in flight", false}, {"mean", false}, {"ops/s", false}, {"bytes/s", true}, {"p50", true}, {"p99", false}}, all, func(g Group) []string {
			return []string{g.Name, Count(g.InFlight), Mean(g.Mean), Rate(g.Rate), Bytes(g.Bytes), Latency(g.P50), Latency(g.P99)}
		})
	}
	groups("By class", "", "class", f.Classes)
	note := "Files of package os have no count of what is in flight now; see the mean."
	if f.FilesLeft > 0 {
		note += fmt.Sprintf(" The busiest %d of %d are here.", len(f.Files), len(f.Files)+f.FilesLeft)
	}
	groups("By file", note, "file", f.Files)
}

// table writes a table, or a line that says that there is nothing.
func table[T any](b *strings.Builder, title, note string, columns []column, rows []T, cells func(T) []string) {
	fmt.Fprintf(b, "<section><h2>%s</h2>\n", title)
	if len(rows) == 0 {
		b.WriteString("<p class=\"dim\">nothing in this second</p></section>\n")
		return
	}
	b.WriteString("<table>")
	if note != "" {
		fmt.Fprintf(b, "<caption>%s</caption>", escape.Replace(note))
	}
	b.WriteString("<thead><tr>")
	for _, c := range columns {
		fmt.Fprintf(b, "<th scope=\"col\"%s>%s</th>", classOf(c, ""), c.title)
	}
	b.WriteString("</tr></thead>\n<tbody>")
	for _, r := range rows {
		b.WriteString("<tr>")
		for i, text := range cells(r) {
			fmt.Fprintf(b, "<td%s>%s</td>", classOf(columns[i], text), escape.Replace(text))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></section>\n")
}

// classOf returns the class attribute of a cell.
func classOf(c column, text string) string {
	switch {
	case c.rare:
		return ` class="w"`
	case c.title == "in flight" && text != "" && text != "0":
		return ` class="busy"`
	}
	return ""
}

// Count returns a number.
func Count(n int) string { return strconv.Itoa(n) }

// Rate returns a rate with three digits, such as 41.2k.
func Rate(v float64) string { return short(v, []string{"", "k", "M", "G", "T"}, 1000) }

// Bytes returns a rate of bytes, such as 41.2Mi.
func Bytes(v float64) string { return short(v, []string{"", "Ki", "Mi", "Gi", "Ti", "Pi"}, 1024) }

// Mean returns a mean number.
func Mean(v float64) string {
	if v < 10 {
		return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
	}
	return short(v, []string{"", "k", "M"}, 1000)
}

// short returns v with at most three digits and a unit.
func short(v float64, units []string, step float64) string {
	i := 0
	for v >= step-0.5 && i < len(units)-1 {
		v /= step
		i++
	}
	digits := 0
	if i > 0 && v < 9.95 {
		digits = 2
	} else if i > 0 && v < 99.5 || i == 0 && v < 10 {
		digits = 1
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if digits > 0 && strings.Trim(text[strings.IndexByte(text, '.'):], ".0") == "" {
		text = text[:strings.IndexByte(text, '.')]
	}
	return text + units[i]
}

// Latency returns nanoseconds as a duration of at most three digits; "-" for none.
func Latency(ns int64) string {
	switch v := float64(ns); {
	case ns <= 0:
		return "-"
	case v < 999.5:
		return strconv.FormatInt(ns, 10) + "ns"
	case v < 999.5e3:
		return short(v/1e3, []string{""}, 1e9) + "µs"
	case v < 999.5e6:
		return short(v/1e6, []string{""}, 1e9) + "ms"
	default:
		return short(v/1e9, []string{""}, 1e12) + "s"
	}
}
