package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/internal/tree"
)

// CopyResult is the result of an experiment on copies.
type CopyResult struct {
	Source    string       `json:"source"`
	Place     copies.About `json:"place"`
	Shape     tree.Shape   `json:"shape"`
	Published tree.Shape   `json:"published_shape"`
	Seed      uint64       `json:"seed"` // determines the random order
	Modes     []CopyMode   `json:"modes"`
}

// CopyMode is the result of one mode.
type CopyMode struct {
	copies.Mode
	Title     string   `json:"title"`
	Note      string   `json:"note,omitempty"` // a reason to doubt the figures
	Sum       tree.Sum `json:"copied"`
	Published string   `json:"published,omitempty"`
	Finding   string   `json:"finding,omitempty"` // whether the published finding holds here
	// PublishedBase is the published time of the first row in seconds, for the published tree. It
	// is 0 if no time was published.
	PublishedBase float64   `json:"published_base_s,omitempty"`
	Rows          []CopyRow `json:"rows"`
}

// CopyRow is the result of one program. Times are seconds for one copy.
type CopyRow struct {
	Command   string       `json:"command"`
	Load      load.Load    `json:"load"`
	Mean      stats.Number `json:"mean_s"`
	Deviation stats.Number `json:"deviation_s"`
	Median    stats.Number `json:"median_s"`
	Min       stats.Number `json:"min_s"`
	Max       stats.Number `json:"max_s"`
	Outliers  []int        `json:"outliers,omitempty"` // numbers of the slow rounds, from 1
	// the factor by which it is faster than the first row
	Speed    Comparison   `json:"speed"`
	CPU      stats.Number `json:"cpu_s"`     // the median
	CPURatio stats.Number `json:"cpu_ratio"` // ratio to the first row's CPU
	Resident int64        `json:"resident"`  // the peak, in bytes
	*duel.Result
}

// Points returns each program of each mode.
func (r *CopyResult) Points() []Point {
	var points []Point
	for _, m := range r.Modes {
		for _, row := range m.Rows {
			points = append(points, Point{fmt.Sprintf("%s, %d files", m.Name, m.Sum.Files), row.Load, row.Result})
		}
	}
	return points
}

// check returns an error for a mode in which nothing was copied.
func (r *CopyResult) check() error {
	for _, m := range r.Modes {
		if len(m.Rows) == 0 || m.Sum.Files <= 0 {
			return fmt.Errorf("the mode %q is damaged", m.Name)
		}
	}
	return nil
}

func (r CopyRow) times() []stats.Number {
	return r.Series(func(s load.Slice) float64 { return s.Elapsed.Seconds() })
}

func (r CopyRow) cpus() []stats.Number {
	return r.Series(func(s load.Slice) float64 { return s.CPU.Seconds() })
}

// sumUp fills in the statistics of the rows, and the finding.
func (m *CopyMode) sumUp(of copyMode) {
	for i := range m.Rows {
		m.Rows[i].sumUp(m.Rows[0])
	}
	if of.figure != nil {
		m.Published, m.PublishedBase = of.figure.text, of.figure.base
		m.Finding = m.finding(of.figure)
	}
}

func (r *CopyRow) sumUp(first CopyRow) {
	times := r.times()
	r.Mean, r.Deviation, r.Median = stats.Mean(times), stats.Deviation(times), stats.Median(times)
	r.Min, r.Max = extremes(times)
	for _, i := range stats.Outliers(times) {
		r.Outliers = append(r.Outliers, i+1)
	}
	r.Speed = speed(stats.Ratios(first.times(), times))
	r.CPU = stats.Median(r.cpus())
	r.CPURatio = stats.Median(stats.Ratios(r.cpus(), first.cpus()))
	for _, s := range r.Rounds {
		r.Resident = max(r.Resident, s.Resident)
	}
}

// speed returns the comparison of a few rounds. Its interval comes from a bootstrap: with fewer
// than six rounds the sign test (stats.Interval) would return the extremes.
func speed(ratios []stats.Number) Comparison {
	c := Comparison{Ratio: stats.Median(ratios)}
	c.Low, c.High = stats.BootstrapMedian(ratios)
	c.judge(ratios)
	return c
}

func extremes(v []stats.Number) (low, high stats.Number) {
	low, high = stats.NaN, stats.NaN
	for i, x := range v {
		if i == 0 || x < low {
			low = x
		}
		if i == 0 || x > high {
			high = x
		}
	}
	return low, high
}

// row returns the row of the program with this name, and false if the program was not measured.
func (m *CopyMode) row(name string) (CopyRow, bool) {
	for _, row := range m.Rows {
		if row.Side.Name == name && row.Unsupported == "" && len(row.Rounds) > 0 {
			return row, true
		}
	}
	return CopyRow{}, false
}
