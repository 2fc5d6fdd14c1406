package experiments

import (
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// figure is the published result of a race.
type figure struct {
	text string
	// rate is the subject's published rate, and base is the first row's, in bytes or operations a
	// second. base is 0 if the subject is the first row.
	rate, base float64
	// near is set if the published finding is that the subject is nearly as fast as the first row.
	// Otherwise rate and base say whether it is faster or slower.
	near    bool
	buffers int64 // bytes of buffers; 0 if not published
}

// Verdict compares one side with another, in a line under the table.
type Verdict struct {
	Entry string `json:"entry"`
	To    string `json:"to"`
	// Rate compares bytes or operations a second, CPU the processor time of one.
	Rate Comparison `json:"rate"`
	CPU  Comparison `json:"cpu"`
	// Note names a difference between the two sides.
	Note string `json:"note,omitempty"`
}

// Comparison is a ratio with its 95 % interval (stats.Interval).
type Comparison struct {
	Ratio stats.Number `json:"ratio"`
	Low   stats.Number `json:"low"`
	High  stats.Number `json:"high"`
	// Verdict is "" if there are too few rounds.
	Verdict stats.Verdict `json:"verdict,omitempty"`
}

// newComparison returns the comparison of the ratios of all rounds. more says that a larger figure
// is better.
func newComparison(ratios []stats.Number, more bool) Comparison {
	c := Comparison{Ratio: stats.Median(ratios)}
	c.Low, c.High = stats.Interval(ratios)
	if c.judge(ratios); !more {
		c.Verdict = c.Verdict.Inverse()
	}
	return c
}

// judge sets the verdict. A larger ratio is better. A round without a ratio does not count.
func (c *Comparison) judge(ratios []stats.Number) {
	if rounds := stats.Count(ratios); rounds >= RoundsForVerdict {
		c.Verdict = stats.Judge(c.Ratio, c.Low, c.High, rounds)
	}
}

// row returns the row of the side of that name.
func (r Race) row(name string) (RaceRow, bool) {
	for _, row := range r.Rows {
		if row.Side.Name == name {
			return row, true
		}
	}
	return RaceRow{}, false
}

func (r RaceRow) to(other RaceRow) Verdict {
	v := Verdict{
		Entry: r.Side.Name, To: other.Side.Name,
		Rate: newComparison(stats.Ratios(r.rates(), other.rates()), true),
		CPU:  newComparison(stats.Ratios(r.cpus(), other.cpus()), false),
	}
	if !v.Rate.Ratio.IsNaN() && other.Side.Way.Fio() && strings.Contains(other.Explain, fio.PlainPages) {
		v.Note = "fio has not the same kind of memory"
	}
	return v
}

// compare returns the verdict of a check, and false if one of its sides has no row.
func (r Race) compare(c check) (Verdict, bool) {
	row, ok := r.row(c.entry)
	other, okOther := r.row(c.to)
	if !ok || !okOther {
		return Verdict{}, false
	}
	return row.to(other), true
}

const (
	// A finding holds "less sharply" if less than this part of the published gain or loss remains.
	lessSharply = 0.5
	// A finding of "nearly as fast" holds if at least this part of the published ratio remains.
	stillNear = 0.75
)

// finding returns a sentence on whether the published figure holds here.
func (r Race) finding() string {
	row, _ := r.row(r.subject)
	to := row.to(r.Rows[0]).Rate
	var text string
	switch {
	case row.Rate.IsNaN():
		return "undecided: " + r.subject + " was not measured"
	case r.figure.base == 0:
		text = fmt.Sprintf("%s by %s", rateText(row), r.subject)
	case to.Ratio.IsNaN():
		text = fmt.Sprintf("undecided without %s; %s", r.Rows[0].Side.Name, rateText(row))
	case to.Verdict == "":
		text = fmt.Sprintf("%s: %s, %s times %s", noVerdict(row.RoundsWith(r.Rows[0])), rateText(row), report.Ratio(to.Ratio), r.Rows[0].Side.Name)
	default:
		text = fmt.Sprintf("%s: %s, %s times %s", r.figure.holds(to), rateText(row), report.Ratio(to.Ratio), r.Rows[0].Side.Name)
	}
	if r.figure.buffers > 0 {
		text += fmt.Sprintf("; %s of buffers, %s", report.Bytes(row.Buffers), r.figure.memory(row.Buffers))
	}
	return text
}

// holds returns whether the published finding holds: the subject is nearly as fast as the first
// row, or faster, or slower.
func (f *figure) holds(c Comparison) string {
	published := f.rate / f.base
	ratio, low, high := float64(c.Ratio), float64(c.Low), float64(c.High)
	switch {
	case f.near && high < published*stillNear:
		return "it does not hold"
	case f.near && low >= published*stillNear:
		return "it still holds"
	case f.near:
		return "undecided"
	}
	if published < 1 {
		published, ratio, low, high = 1/published, 1/ratio, 1/high, 1/low
	}
	switch {
	case high < 1:
		return "it does not hold"
	case low <= 1:
		return "undecided"
	case ratio-1 < lessSharply*(published-1):
		return "it still holds, if less sharply"
	}
	return "it still holds"
}

// memory compares n bytes of buffers with the published number.
func (f *figure) memory(n int64) string {
	if n <= f.buffers {
		return "as published"
	}
	return "more than published"
}

// rateText returns a row's rate with its unit.
func rateText(r RaceRow) string {
	switch {
	case r.Kind.Scan() && r.Rate >= 1e9:
		return report.Count(r.Rate/1e9) + " GB/s"
	case r.Kind.Scan():
		return report.Count(r.Rate/1e6) + " MB/s"
	}
	return report.Count(r.Rate) + " operations/s"
}
