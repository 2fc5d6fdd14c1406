// Package pictures makes the report of a run of `sluice bench`: a page with a figure for each
// experiment, in it and as SVG, and the figures' numbers as JSON and CSV. It only draws results
// (package results) and measures nothing: the same results give the same report.
//
// A function here returns the Figure for each type of experiments.Result. Dir writes the files, and
// removes an older report's files from the directory.
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

// Figure is a section of the page: one or more pictures of one experiment. Its files have its name.
type Figure struct {
	Name     string
	Title    string
	Source   string // the publication that the experiment repeats; "" if none
	Expected string
	Seen     []string // the results: a sentence for each panel
	Caption  string   // how to read the pictures
	Pictures []Picture
	Table    Table
	Data     []Data // CSV files; nil means one with all rounds

	measured []results.Named // contents of the figure's JSON file
}

// Picture is a picture in the page, and an SVG file.
type Picture struct {
	Name  string // of the files, without the suffix
	Title string // "" if the figure's title is enough
	Alt   string // alternative text: the content of the picture
	Chart chart.Figure
}

// Data is a CSV file.
type Data struct {
	Name, What string
	text       func() ([]byte, error)
}

// Table is the numbers of a picture.
type Table struct {
	Head []string // with units
	Rows [][]string
}

// figures returns the figures of a run.
func figures(run *results.Run) []Figure {
	var figures []Figure
	for _, result := range run.Results {
		f := figureOf(result)
		f.Name, f.Source = result.Name, result.Source
		f.measured = []results.Named{result}
		figures = append(figures, f.withNames())
	}
	if f, ok := settingsFigure(run); ok {
		figures = append(figures, f.withNames())
	}
	return figures
}

// withNames returns the figure with the names of its files.
func (f Figure) withNames() Figure {
	if f.Data == nil {
		f.Data = []Data{{What: "all rounds", text: func() ([]byte, error) { return rounds(f.measured) }}}
	}
	for i := range f.Pictures {
		p := &f.Pictures[i]
		p.Name = strings.TrimSuffix(f.Name+"-"+p.Name, "-")
		p.Chart.Title = f.Name + ": " + f.Title
		if p.Title != "" {
			p.Chart.Title = f.Name + ": " + strings.TrimSuffix(p.Title, ".")
		}
	}
	for i := range f.Data {
		f.Data[i].Name = strings.TrimSuffix(f.Name+"-"+f.Data[i].Name, "-") + ".csv"
	}
	return f
}

// figureOf returns the figure of one experiment.
func figureOf(result results.Named) Figure {
	switch r := result.Result.(type) {
	case *experiments.MatrixResult:
		if result.Name == experiments.WAL {
			return walFigure(result.Summary, r)
		}
		return matrixFigure(r)
	case *experiments.CallResult:
		return callFigure(result.Summary, r)
	case *experiments.RaceResult:
		if result.Name == "rand-depth" {
			return depthFigure(r)
		}
		return raceFigure(result.Summary, r)
	case *experiments.Fig5Result:
		return fig5Figure(result.Summary, r)
	case *experiments.AIOResult:
		return aioFigure(result.Summary, r)
	case *experiments.CopyResult:
		return copyFigure(result.Summary, r)
	case *experiments.ThreadsResult:
		return threadsFigure(result.Summary, r)
	case *experiments.TransparentResult:
		return transparentFigure(result.Summary, r)
	case *experiments.PebbleResult:
		return pebbleFigure(result.Summary, r)
	case *experiments.FioResult:
		return fioFigure(result.Summary, r)
	case *experiments.FairResult:
		return fairFigure(result.Summary, r)
	}
	panic("pictures: an experiment has a result of a new type")
}

// interval is a value with its 95 % interval (stats.Interval).
type interval struct{ value, low, high float64 }

// intervalOf returns the median and the interval of a figure of all rounds, in the given unit.
func intervalOf(r interface {
	Series(func(load.Slice) float64) []stats.Number
}, unit float64, of func(load.Slice) float64,
) interval {
	v := r.Series(func(s load.Slice) float64 { return of(s) * unit })
	low, high := stats.Interval(v)
	return interval{float64(stats.Median(v)), float64(low), float64(high)}
}

// fit extends the axis to show the values, without outliers that would flatten the rest
// (chart.Trim). It shows error bars only as far as the values keep enough room: one disturbed cell
// must not flatten the rest.
func fit(a *chart.Axis, points []interval) {
	const most = 2.5 // as a multiple of the value, up and down
	var values []float64
	for _, p := range points {
		if p.value > 0 { // others cannot be drawn
			values = append(values, p.value)
		}
	}
	first, last := chart.Trim(values, a.Log)
	for _, p := range points {
		if !(p.value >= first && p.value <= last) {
			continue
		}
		low, high := p.value, p.value
		if p.low < p.value { // false for NaN
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

// short returns a number for an axis: 500, 10k, 2.5M.
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

// missing is the text for a missing figure.
const missing = "-"

// plusMinus explains error bars in the caption of every figure with error bars.
const plusMinus = "Points are medians of the rounds. Error bars hold the true median with a probability of 95 %; with fewer than six rounds they reach from the lowest round to the highest. Bars that leave the panel end at its edge; a value beyond it is an arrow with its number."
