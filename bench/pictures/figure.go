// Package pictures makes a report of a run of sluice bench: a page with its
// figures as PNG and SVG, and what they were drawn from as JSON and CSV. It
// measures nothing: the same run gives the same report.
package pictures

import (
	"math"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/results"
)

// Figure is a section of the page: a picture or more of one experiment. Its
// files are named after it.
type Figure struct {
	Name     string
	Title    string
	Source   string // the publication, "" if it is our own
	Expected string
	Seen     []string // a sentence a panel
	Caption  string   // how to read the pictures
	Pictures []Picture
	Table    Table
	Data     []Data // beside the JSON file; nil is the rounds

	measured []results.Named // what the JSON file holds
}

// Picture is a file as PNG and one as SVG.
type Picture struct {
	Name  string // what the files are called, without the suffix
	Title string // "" if the figure's says it all
	Alt   string // what it shows, for those who cannot see it
	Chart chart.Figure
}

// Data is a file of figures.
type Data struct {
	Name, What string
	text       func() ([]byte, error)
}

// Table is what the picture shows in numbers.
type Table struct {
	Head []string // with units
	Rows [][]string
}

// figures returns what there is to draw of a run.
func figures(run *results.Run) []Figure {
	var figures []Figure
	for _, named := range run.Results {
		f := drawn(named)
		f.Name, f.Source = named.Name, named.Source
		f.measured = []results.Named{named}
		figures = append(figures, f.named())
	}
	if f, ok := settingsFigure(run); ok {
		figures = append(figures, f.named())
	}
	return figures
}

// named gives the figure's files their names.
func (f Figure) named() Figure {
	if f.Data == nil {
		f.Data = []Data{{What: "all rounds", text: func() ([]byte, error) { return rounds(f.measured) }}}
	}
	for i := range f.Pictures {
		f.Pictures[i].Name = strings.TrimSuffix(f.Name+"-"+f.Pictures[i].Name, "-")
	}
	for i := range f.Data {
		f.Data[i].Name = strings.TrimSuffix(f.Name+"-"+f.Data[i].Name, "-") + ".csv"
	}
	return f
}

// drawn draws one experiment.
func drawn(named results.Named) Figure {
	switch r := named.Result.(type) {
	case *experiments.MatrixResult:
		if named.Name == experiments.WAL {
			return walFigure(named.Summary, r)
		}
		return matrixFigure(r)
	case *experiments.CallResult:
		return callFigure(named.Summary, r)
	case *experiments.RaceResult:
		if named.Name == "rand-depth" {
			return depthFigure(r)
		}
		return raceFigure(named.Summary, r)
	case *experiments.Fig5Result:
		return fig5Figure(named.Summary, r)
	case *experiments.AIOResult:
		return aioFigure(named.Summary, r)
	case *experiments.CopyResult:
		return copyFigure(named.Summary, r)
	case *experiments.ThreadsResult:
		return threadsFigure(named.Summary, r)
	case *experiments.TransparentResult:
		return transparentFigure(named.Summary, r)
	case *experiments.FioResult:
		return fioFigure(named.Summary, r)
	case *experiments.FairResult:
		return fairFigure(named.Summary, r)
	}
	panic("pictures: an experiment has a result of a new type")
}

// interval is a value with the bounds of 95 %, see stats.Interval.
type interval struct{ value, low, high float64 }

func intervalOf(r interface {
	Series(func(load.Slice) float64) []stats.Number
}, unit float64, of func(load.Slice) float64,
) interval {
	v := r.Series(func(s load.Slice) float64 { return of(s) * unit })
	low, high := stats.Interval(v)
	return interval{float64(stats.Median(v)), float64(low), float64(high)}
}

// fit makes the axis hold all values, and of their bars as much as leaves the
// values room: one disturbed cell must not flatten the others.
func fit(a *chart.Axis, points []interval) {
	const most = 2.5 // times the value, up and down
	for _, p := range points {
		if !(p.value > 0) || math.IsInf(p.value, 0) { // it has no place
			continue
		}
		low, high := p.value, p.value
		if p.low < p.value { // and is a number
			low = max(p.low, p.value/most)
		}
		if p.high > p.value {
			high = min(p.high, p.value*most)
		}
		if !a.Fixed && a.Max == 0 {
			a.Min, a.Max = low, high
		}
		a.Fixed, a.Min, a.Max = true, min(a.Min, low), max(a.Max, high)
	}
}

// beside moves the points of the series off each other, so that their bars do
// not cover each other.
func beside(series []chart.Series) {
	const step = 1.02
	for i, s := range series {
		for k := range s.Points {
			s.Points[k].X *= math.Pow(step, float64(i)-float64(len(series)-1)/2)
		}
	}
}

// short is a number on an axis: 500, 10k, 2.5M.
func short(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size {
			return plain(v/unit.size) + unit.name
		}
	}
	return plain(v)
}

func plain(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64) // 0.30000000000000004
}

// missing stands where there is no figure.
const missing = "-"

// plusMinus tells how to read error bars, on every figure that has them.
const plusMinus = "Points are medians of the rounds, bars hold the true median with a probability of 95 %, of fewer than six rounds they hold all (those that leave the panel end at its edge)."
