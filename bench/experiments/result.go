package experiments

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// Result is the result of an experiment: *MatrixResult, *CallResult, *RaceResult, *Fig5Result,
// *AIOResult, *CopyResult, *FioResult, *FairResult, *ThreadsResult, *TransparentResult
// or *PebbleResult.
type Result interface {
	// Points returns all figures, cell by cell.
	Points() []Point
}

// Point is the result of one side in one cell.
type Point struct {
	Cell string // the cell's name, which is the same in every run
	Load load.Load
	*duel.Result
}

// Points returns each side of each cell.
func (r *MatrixResult) Points() []Point {
	var points []Point
	for _, c := range r.Cells {
		for _, side := range c.Sides {
			points = append(points, Point{c.Name, c.Load, side})
		}
	}
	return points
}

// Points returns each call of each row.
func (r *CallResult) Points() []Point {
	var points []Point
	for _, row := range r.Rows {
		name := fmt.Sprintf("%d bytes, goroutines: %d", row.Size, row.Goroutines)
		for _, c := range row.Calls {
			points = append(points, Point{name, row.Load, c.Result})
		}
	}
	return points
}

// Points returns each row of each race.
func (r *RaceResult) Points() []Point {
	var points []Point
	for _, race := range r.Races {
		for _, row := range race.Rows {
			points = append(points, Point{race.Title, row.Load, row.Result})
		}
	}
	return points
}

// ErrNothing is the error of Experiment.Read for a run that was interrupted before its first cell.
var ErrNothing = errors.New("it holds nothing that was measured")

// read decodes a result of type R and checks it.
func read[R any, P interface {
	*R
	Result
}](text []byte) (Result, error) {
	result := P(new(R))
	if err := json.Unmarshal(text, result); err != nil {
		return nil, err
	}
	if err := checked(result); err != nil {
		return nil, err
	}
	return result, nil
}

// read adds the published figures to the races. The JSON file does not hold them: a figure may have
// been corrected since the file was written.
func (r raceExperiment) read(text []byte) (Result, error) {
	result, err := read[RaceResult](text)
	if err != nil {
		return nil, err
	}
	done, races := result.(*RaceResult), r.races(Params{FileSize: 1 << 30})
	if len(done.Races) > len(races) {
		return nil, fmt.Errorf("%d races; there are %d", len(done.Races), len(races))
	}
	for i := range done.Races {
		done.Races[i].figure, done.Races[i].subject = races[i].figure, races[i].subject
	}
	return result, nil
}

// checked returns an error for a result that no run can have returned, or that cannot be drawn.
func checked(result Result) error {
	points := result.Points()
	if len(points) == 0 {
		return ErrNothing
	}
	for _, p := range points {
		if err := p.check(); err != nil {
			return err
		}
	}
	if r, ok := result.(interface{ check() error }); ok { // it checks more than the points
		return r.check()
	}
	return nil
}

// check returns an error for a cell that has a ratio but not two sides.
func (r *MatrixResult) check() error {
	for _, c := range r.Cells {
		if c.Ratios != nil && len(c.Sides) != 2 {
			return fmt.Errorf("%q has %d sides; want 2", c.Name, len(c.Sides))
		}
	}
	return nil
}

func (p Point) check() error {
	switch {
	case p.Result == nil || p.Side.Name == "":
		return fmt.Errorf("a side of %q has no name", p.Cell)
	case !p.Load.Kind.Valid() || p.Load.Size <= 0 || p.Load.Goroutines <= 0:
		return fmt.Errorf("the load of %q is damaged", p.Cell)
	case p.Unsupported == "" && len(p.Rounds) == 0:
		return fmt.Errorf("%s of %q has no rounds", p.Side.Name, p.Cell)
	}
	for _, s := range p.Rounds {
		if s.Ops < 0 || s.Elapsed < 0 || s.CPU < 0 || s.Mean < 0 {
			return fmt.Errorf("%s of %q has a negative figure", p.Side.Name, p.Cell)
		}
	}
	return nil
}

// PublishedRates returns the published rates of the row Subject and of the first row, in the unit
// of RaceRow.Rate. A rate is 0 if it was not published.
func (r Race) PublishedRates() (subject, base float64) {
	if r.figure == nil {
		return 0, 0
	}
	return r.figure.rate, r.figure.base
}

// Subject returns the name of the side with the published figure, or "".
func (r Race) Subject() string { return r.subject }

// reached returns the word for whether a target was reached.
func reached(yes bool) string {
	if yes {
		return "reached"
	}
	return "missed"
}
