package experiments

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// Result is what an experiment measured: *MatrixResult, *CallResult, *RaceResult,
// *Fig5Result, *AIOResult, *CopyResult, *FioResult, *FairResult, *ThreadsResult or *TransparentResult.
type Result interface {
	// Points returns all that was measured, cell by cell.
	Points() []Point
}

// Point is what one side achieved in one cell.
type Point struct {
	Cell string // a name that is the same in each run of the same load
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
	for _, race := range r.Races { // of a race without rows there is nothing to draw
		for _, row := range race.Rows {
			points = append(points, Point{race.Title, row.Load, row.Result})
		}
	}
	return points
}

// ErrNothing is what a run that was interrupted before its first cell comes to.
var ErrNothing = errors.New("it holds nothing that was measured")

// read reads a result of the type R and checks it.
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

// read gives the races what is published of them, which the file does not
// hold: it may be older than the publication's place here.
func (r racing) read(text []byte) (Result, error) {
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

// checked refuses what no run can have given and nobody could draw.
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
	if r, ok := result.(interface{ check() error }); ok { // what is not in its points
		return r.check()
	}
	return nil
}

// check refuses cells that compare nothing.
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

// PublishedRates returns what was published of the race in the units of
// RaceRow.Rate: what the row Subject had, and what the first row had. A 0 is
// a figure that was not published.
func (r Race) PublishedRates() (subject, base float64) {
	if r.figure == nil {
		return 0, 0
	}
	return r.figure.rate, r.figure.base
}

// Subject names the row that a publication tells of; "" where there is none.
func (r Race) Subject() string { return r.subject }

// reached is the word for a target that was, or was not.
func reached(yes bool) string {
	if yes {
		return "reached"
	}
	return "missed"
}
