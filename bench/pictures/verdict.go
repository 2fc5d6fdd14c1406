package pictures

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/results"
)

// comparison is the speed of a side as a multiple of another's.
type comparison struct {
	entry, to        string // names of the sides
	row, column      string // the place in the table
	ratio, low, high stats.Number
	verdict          stats.Verdict
	rounds           int
}

// comparisons returns a result's comparisons of sluice with os.File, go build or cp -r. Results
// without any have none.
func comparisons(result experiments.Result) []comparison {
	switch r := result.(type) {
	case *experiments.MatrixResult:
		return cellComparisons(r)
	case *experiments.CallResult:
		return callComparisons(r)
	case *experiments.RaceResult:
		return raceComparisons(r)
	case *experiments.CopyResult:
		return copyComparisons(r)
	case *experiments.TransparentResult:
		return buildComparisons(r)
	}
	return nil
}

func cellComparisons(r *experiments.MatrixResult) []comparison {
	var all []comparison
	for _, c := range r.Cells {
		if c.Ratios == nil {
			continue
		}
		row := fmt.Sprintf("%s, %s", c.Kind, report.Bytes(int64(c.Size)))
		if c.Procs > 0 {
			row += fmt.Sprintf(", GOMAXPROCS %d", c.Procs)
		}
		all = append(all, compared(c, row, strconv.Itoa(c.Goroutines)))
	}
	return all
}

// compared returns the comparison of a cell with ratios.
func compared(c experiments.Cell, row, column string) comparison {
	return comparison{
		entry: c.Sides[1].Side.Name, to: c.Sides[0].Side.Name, row: row, column: column,
		ratio: c.Ratios.Rate, low: c.Ratios.Low, high: c.Ratios.High,
		verdict: c.Ratios.Verdict, rounds: c.Rounds(),
	}
}

// callComparisons uses the first measured driver of sluice. The results have times; the comparisons
// are of speeds.
func callComparisons(r *experiments.CallResult) []comparison {
	var all []comparison
	for _, row := range r.Rows {
		for _, c := range row.Calls {
			if c.Side.Way != load.BySluice || c.Unsupported != "" || c.Ratio.IsNaN() || c.Ratio <= 0 {
				continue
			}
			v := comparison{
				entry: c.Side.Name, to: row.Calls[0].Side.Name,
				row: callSize(row.Size), column: strconv.Itoa(row.Goroutines),
				ratio: 1 / c.Ratio, low: 1 / c.High, high: 1 / c.Low, rounds: c.RoundsWith(row.Calls[0]),
			}
			v.verdict = stats.Judge(v.ratio, v.low, v.high, v.rounds)
			all = append(all, v)
			break
		}
	}
	return all
}

// callSize returns the size of a call, exactly as requested.
func callSize(n int) string {
	if n%1024 == 0 {
		return report.Bytes(int64(n)) + " a call"
	}
	return strconv.Itoa(n) + " bytes a call"
}

func raceComparisons(r *experiments.RaceResult) []comparison {
	var all []comparison
	for _, race := range r.Races {
		ways := make(map[string]experiments.RaceRow)
		for _, row := range race.Rows {
			ways[row.Side.Name] = row
		}
		for _, v := range race.Verdicts {
			entry, ok := ways[v.Entry]
			if !ok || ways[v.To].Result == nil || ways[v.To].Side.Way != load.ByOS || entry.Side.Way.Fio() || entry.Side.Way == load.ByOS || v.Rate.Ratio.IsNaN() {
				continue
			}
			verdict := v.Rate.Verdict
			if verdict == "" {
				verdict = stats.Unclear
			}
			all = append(all, comparison{v.Entry, v.To, race.Title, v.Entry, v.Rate.Ratio, v.Rate.Low, v.Rate.High, verdict, entry.RoundsWith(ways[v.To])})
		}
	}
	return all
}

func copyComparisons(r *experiments.CopyResult) []comparison {
	var all []comparison
	for _, m := range r.Modes {
		for _, row := range m.Rows {
			if row.Side.Way != load.ByCopy || row.Speed.Ratio.IsNaN() {
				continue
			}
			verdict := row.Speed.Verdict
			if verdict == "" {
				verdict = stats.Unclear
			}
			all = append(all, comparison{
				row.Side.Name, m.Rows[0].Side.Name, m.Name, row.Side.Name,
				row.Speed.Ratio, row.Speed.Low, row.Speed.High, verdict, len(row.Rounds),
			})
		}
	}
	return all
}

func buildComparisons(r *experiments.TransparentResult) []comparison {
	var all []comparison
	for _, c := range r.Cells {
		if c.Ratios != nil {
			all = append(all, compared(c.Cell, c.Name, "sluice build"))
		}
	}
	return all
}

// verdicts has the verdicts, best first, with marks that distinguish them without colour.
var verdicts = []struct {
	verdict stats.Verdict
	mark    string
	means   string
}{
	{stats.Ahead, "▲", "the whole interval is above 1"},
	{stats.Level, "=", "the interval holds 1 and is within 3 %"},
	{stats.Unclear, "?", "the interval holds 1 and is wider, or there are too few rounds"},
	{stats.Behind, "▼", "the whole interval is below 1"},
}

// sentence returns the verdict of a run in one sentence.
func sentence(all []comparison) string {
	switch len(all) {
	case 0:
		return "No experiment of this run compares sluice with anything; each one's finding is below."
	case 1:
		return one(all[0])
	}
	entry, to := "sluice", " of "+all[0].to
	if !slices.ContainsFunc(all, func(c comparison) bool { return c.entry != all[0].entry }) {
		entry = all[0].entry
	}
	if slices.ContainsFunc(all, func(c comparison) bool { return c.to != all[0].to }) {
		to = ""
	}
	var rest []string
	for _, v := range verdicts[1:] {
		rest = append(rest, fmt.Sprintf("%s in %s", v.verdict, count(all, v.verdict)))
	}
	ratios := make([]stats.Number, len(all))
	for i, c := range all {
		ratios[i] = c.ratio
	}
	return fmt.Sprintf("%s is ahead%s in %s of %d cells, %s, %s and %s; the median ratio is %s%s.",
		entry, to, count(all, stats.Ahead), len(all), rest[0], rest[1], rest[2], report.Ratio(stats.Median(ratios)), fewRounds(all))
}

// one returns the sentence of a run with one cell.
func one(c comparison) string {
	what := map[stats.Verdict]string{
		stats.Ahead:   fmt.Sprintf("%s is ahead of %s", c.entry, c.to),
		stats.Behind:  fmt.Sprintf("%s is behind %s", c.entry, c.to),
		stats.Level:   fmt.Sprintf("%s is level with %s", c.entry, c.to),
		stats.Unclear: fmt.Sprintf("It is unclear whether %s is faster than %s", c.entry, c.to),
	}[c.verdict]
	return fmt.Sprintf("%s in the one cell that was measured: %s times as fast (95 %%: %s to %s)%s.",
		what, report.Ratio(c.ratio), report.Ratio(c.low), report.Ratio(c.high), fewRounds([]comparison{c}))
}

// count returns the number of comparisons with that verdict; none is a word.
func count(all []comparison, v stats.Verdict) string {
	n := 0
	for _, c := range all {
		if c.verdict == v {
			n++
		}
	}
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

// fewRounds returns the reason why all comparisons are unclear, if there were too few rounds.
func fewRounds(all []comparison) string {
	if slices.ContainsFunc(all, func(c comparison) bool { return c.rounds >= stats.EnoughRounds }) {
		return ""
	}
	return fmt.Sprintf(" (fewer than %d rounds, which cannot tell a difference from chance)", stats.EnoughRounds)
}

// heat has the comparisons of one experiment as a table with coloured cells.
type heat struct {
	Name    string // of the experiment
	Rows    string // the name of the rows
	Numbers bool   // whether the columns are numbers of goroutines
	Columns []string
	Cells   []heatRow
}

type heatRow struct {
	Name  string
	Cells []heatCell // by column; a missing cell has no Verdict
}

type heatCell struct {
	Verdict            stats.Verdict
	Mark, Ratio, Range string
	Sort               string // the number to sort by
	Tip                string
}

// heats returns the tables of a run, and all their comparisons.
func heats(run *results.Run) (tables []heat, all []comparison) {
	for _, named := range run.Results {
		if c := comparisons(named.Result); len(c) > 0 {
			all = append(all, c...)
			tables = append(tables, newHeat(named.Name, c))
		}
	}
	return tables, all
}

func newHeat(name string, all []comparison) heat {
	h := heat{Name: name, Rows: "cell"}
	for _, c := range all {
		if !slices.Contains(h.Columns, c.column) {
			h.Columns = append(h.Columns, c.column)
		}
	}
	if _, err := strconv.Atoi(h.Columns[0]); err == nil {
		h.Numbers = true
		slices.SortFunc(h.Columns, func(a, b string) int {
			x, _ := strconv.Atoi(a)
			y, _ := strconv.Atoi(b)
			return x - y
		})
	}
	for _, c := range all {
		i := slices.IndexFunc(h.Cells, func(r heatRow) bool { return r.Name == c.row })
		if i < 0 {
			i = len(h.Cells)
			h.Cells = append(h.Cells, heatRow{c.row, make([]heatCell, len(h.Columns))})
		}
		h.Cells[i].Cells[slices.Index(h.Columns, c.column)] = c.cell(h.Numbers)
	}
	return h
}

func (c comparison) cell(goroutines bool) heatCell {
	cell := heatCell{
		Verdict: c.verdict, Ratio: report.Ratio(c.ratio), Range: report.Ratio(c.low) + "–" + report.Ratio(c.high),
		Sort: strconv.FormatFloat(float64(c.ratio), 'g', 6, 64),
	}
	for _, v := range verdicts {
		if v.verdict == c.verdict {
			cell.Mark = v.mark
		}
	}
	if c.rounds < stats.EnoughRounds {
		cell.Range = "too few rounds"
	}
	where := c.row
	switch {
	case goroutines && c.column == "1":
		where += ", 1 goroutine"
	case goroutines:
		where += ", " + c.column + " goroutines"
	}
	cell.Tip = strings.Join([]string{
		where, fmt.Sprintf("%s to %s: %s (%s)", c.entry, c.to, cell.Ratio, c.verdict),
		fmt.Sprintf("95 %%: %s to %s; %d rounds", report.Ratio(c.low), report.Ratio(c.high), c.rounds),
	}, "\n")
	return cell
}

// key is a verdict in the legend of the tables.
type key struct {
	Verdict     stats.Verdict
	Mark, Means string
	Count       string
}

func keys(all []comparison) []key {
	var keys []key
	for _, v := range verdicts {
		keys = append(keys, key{v.verdict, v.mark, v.means, count(all, v.verdict)})
	}
	return keys
}

// html returns the picture as a part of the page.
func (p Picture) html() template.HTML { return template.HTML(p.Chart.HTML(p.Alt)) } //nolint:gosec // chart escapes the texts
