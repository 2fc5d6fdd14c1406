package experiments

import (
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// figure is what was published of a setting.
type figure struct {
	text string
	// rate is what the subject had, and base what the first row had, in bytes
	// or operations a second; base is 0 where the setting is a base itself.
	rate, base float64
	// near is set where the point was that the subject is nearly as fast as
	// the first row; else it was that it is faster, or slower, as published.
	near    bool
	buffers int64 // bytes, 0 if nothing was said
}

// Verdict is a line under the table: how one entry compares with another.
type Verdict struct {
	Entry string `json:"entry"`
	To    string `json:"to"`
	// Rate compares the bytes or operations a second, CPU the processor time
	// of one.
	Rate Comparison `json:"rate"`
	CPU  Comparison `json:"cpu"`
	// Note says what is unequal about the comparison.
	Note string `json:"note,omitempty"`
}

// Comparison is a ratio with its 95 % interval, see stats.Interval.
type Comparison struct {
	Ratio stats.Number `json:"ratio"`
	Low   stats.Number `json:"low"`
	High  stats.Number `json:"high"`
	// Verdict is ahead, level (what noise alone could be) or behind; "" where
	// there are too few rounds to tell.
	Verdict string `json:"verdict,omitempty"`
}

// newComparison returns what the ratios of all rounds say, given whether it is
// good to have more.
func newComparison(ratios []stats.Number, more bool) Comparison {
	c := Comparison{Ratio: stats.Median(ratios)}
	c.Low, c.High = stats.Interval(ratios)
	switch {
	case len(ratios) < RoundsForVerdict || c.Ratio.IsNaN():
	case c.Low <= 1 && c.High >= 1:
		c.Verdict = "level"
	case (c.Low > 1) == more:
		c.Verdict = "ahead"
	default:
		c.Verdict = "behind"
	}
	return c
}

// row returns the row of that name.
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

// compare makes the verdict of a check, if both of its entries are there.
func (r Race) compare(c check) (Verdict, bool) {
	row, ok := r.row(c.entry)
	other, okOther := r.row(c.to)
	if !ok || !okOther {
		return Verdict{}, false
	}
	return row.to(other), true
}

// lessSharply is how much of a published gain, or loss, has to be left for a
// finding to be as sharp as it was, and stillNear how much of a ratio for the
// subject still to be near the first row.
const (
	lessSharply = 0.5
	stillNear   = 0.75
)

// finding says what has become of the published figure.
func (r Race) finding() string {
	row, _ := r.row(r.subject)
	to := row.to(r.Rows[0]).Rate
	var text string
	switch {
	case row.Rate.IsNaN():
		return "cannot be told; " + r.subject + " was not measured"
	case r.figure.base == 0:
		text = fmt.Sprintf("%s by %s", rateText(row), r.subject)
	case to.Ratio.IsNaN():
		text = fmt.Sprintf("cannot be told without %s; %s", r.Rows[0].Side.Name, rateText(row))
	case to.Verdict == "":
		text = fmt.Sprintf("%s: %s, %s times %s", noVerdict(len(row.Rounds)), rateText(row), report.Ratio(to.Ratio), r.Rows[0].Side.Name)
	default:
		text = fmt.Sprintf("%s: %s, %s times %s", r.figure.holds(to), rateText(row), report.Ratio(to.Ratio), r.Rows[0].Side.Name)
	}
	if r.figure.buffers > 0 {
		text += fmt.Sprintf("; %s of buffers, %s", report.Bytes(row.Buffers), r.figure.memory(row.Buffers))
	}
	return text
}

// holds returns whether the published finding still holds: that the subject is faster than
// the first row, or slower.
func (f *figure) holds(c Comparison) string {
	published := f.rate / f.base
	ratio, low, high := float64(c.Ratio), float64(c.Low), float64(c.High)
	switch {
	case f.near && high < published*stillNear:
		return "it does not hold"
	case f.near:
		return "it still holds"
	}
	if published < 1 {
		published, ratio, low, high = 1/published, 1/ratio, 1/high, 1/low
	}
	switch {
	case high < 1:
		return "it does not hold"
	case low <= 1:
		return "it cannot be told"
	case ratio-1 < lessSharply*(published-1):
		return "it still holds, if less sharply"
	}
	return "it still holds"
}

func (f *figure) memory(n int64) string {
	if n <= f.buffers {
		return "as published"
	}
	return "more than published"
}

// rateText is a row's rate with its unit.
func rateText(r RaceRow) string {
	switch {
	case r.Kind.Scan() && r.Rate >= 1e9:
		return report.Count(r.Rate/1e9) + " GB/s"
	case r.Kind.Scan():
		return report.Count(r.Rate/1e6) + " MB/s"
	}
	return report.Count(r.Rate) + " operations/s"
}
