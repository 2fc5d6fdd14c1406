package experiments

import (
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/fio"
	"github.com/sluiceio/sluice/cmd/sluice/internal/load"
	"github.com/sluiceio/sluice/cmd/sluice/internal/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/stats"
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

// Verdict is a line under the table.
type Verdict struct {
	Text string `json:"text"`
	// Ratio is that of the bytes or operations a second, Low and High its 95 %
	// interval, CPU the ratio of processor time.
	Ratio stats.Number `json:"ratio"`
	Low   stats.Number `json:"ratio_low"`
	High  stats.Number `json:"ratio_high"`
	CPU   stats.Number `json:"cpu_ratio"`
	To    string       `json:"to"`
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
	rates := stats.Ratios(r.rates(), other.rates())
	v := Verdict{Ratio: stats.Median(rates), CPU: stats.Median(stats.Ratios(r.cpus(), other.cpus())), To: other.Side.Name}
	v.Low, v.High = stats.Interval(rates)
	return v
}

// compare makes the verdict of a check, if both of its entries are there.
func (r Race) compare(c check) (Verdict, bool) {
	row, ok := r.row(c.entry)
	other, okOther := r.row(c.to)
	if !ok || !okOther {
		return Verdict{}, false
	}
	v := row.to(other)
	v.Text = fmt.Sprintf("%s to %s: ", c.entry, c.to)
	if v.Ratio.IsNaN() {
		v.Text += "not measured"
		return v, true
	}
	unit := "ops/s"
	if row.Kind.Scan() {
		unit = "bytes/s"
	}
	v.Text += fmt.Sprintf("%s %s (%s to %s), CPU %s: %s", unit, report.Ratio(v.Ratio),
		report.Ratio(v.Low), report.Ratio(v.High), report.Ratio(v.CPU), v.word())
	if other.Side.Way == load.ByFio && strings.Contains(other.Explain, fio.PlainPages) {
		v.Text += ", but not on the same kind of memory"
	}
	return v, true
}

// word says what the interval allows to say: level is what noise alone could
// be.
func (v Verdict) word() string {
	switch {
	case v.Low > 1:
		return "ahead"
	case v.High < 1:
		return "behind"
	}
	return "level"
}

// lessSharply is how much of a published gain, or loss, has to be left for a
// finding to be as sharp as it was, and stillNear how much of a ratio for the
// subject still to be near the first row.
const (
	lessSharply = 0.5
	stillNear   = 0.75
)

// finding says what has become of the published figure.
func (r Race) finding() Verdict {
	row, _ := r.row(r.subject)
	v := row.to(r.Rows[0])
	v.Text = "here: "
	switch {
	case row.Rate.IsNaN():
		v.Text += "cannot be told; " + r.subject + " was not measured"
		return v
	case r.figure.base == 0:
		v.Text += fmt.Sprintf("%s by %s", rateText(row), r.subject)
	case v.Ratio.IsNaN():
		v.Text += fmt.Sprintf("cannot be told without %s; %s", r.Rows[0].Side.Name, rateText(row))
	default:
		v.Text += fmt.Sprintf("%s: %s, %s times %s", r.figure.holds(v), rateText(row), report.Ratio(v.Ratio), r.Rows[0].Side.Name)
	}
	if r.figure.buffers > 0 {
		v.Text += fmt.Sprintf("; %s of buffers, %s", report.Bytes(row.Buffers), r.figure.memory(row.Buffers))
	}
	return v
}

// holds says whether the subject still is on that side of the first row on
// which it was published to be.
func (f *figure) holds(v Verdict) string {
	published := f.rate / f.base
	ratio, low, high := float64(v.Ratio), float64(v.Low), float64(v.High)
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
