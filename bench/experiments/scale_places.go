package experiments

import (
	"context"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// Tmpfs is a file on tmpfs, on which entries are measured.
type Tmpfs interface {
	comparer
	// Close removes the file.
	Close() error
}

// scalePlaces holds the places on which the cells of scale are measured.
type scalePlaces struct {
	env   *Env
	tmpfs Tmpfs // nil until a cell needs it
}

// of returns the place of a load. It makes the file on tmpfs for the first cell that needs it.
func (s *scalePlaces) of(ctx context.Context, l load.Load) (comparer, error) {
	if l.Kind != load.ReadTmpfs {
		return s.env.Lab, nil
	}
	if s.tmpfs != nil {
		return s.tmpfs, nil
	}
	file, err := s.env.Lab.Tmpfs(ctx, scaleFile, func(done float64) {
		s.env.Screen.Step(scaleName + ": writing a file on tmpfs " + report.Percent(done))
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		file = nowhere{err.Error()}
	}
	s.tmpfs = file
	return file, nil
}

func (s *scalePlaces) close() error {
	if s.tmpfs == nil {
		return nil
	}
	return s.tmpfs.Close()
}

// nowhere is a place that this machine lacks.
type nowhere struct{ reason string }

// Compare returns the reason as the result of each entry.
func (n nowhere) Compare(_ context.Context, entries []duel.Entry, _ duel.Plan) ([]*duel.Result, error) {
	return unsupportedAll(entries, n.reason), nil
}

// Close does nothing.
func (nowhere) Close() error { return nil }

// unsupportedAll returns a result without rounds for each entry.
func unsupportedAll(entries []duel.Entry, reason string) []*duel.Result {
	results := make([]*duel.Result, len(entries))
	for i, e := range entries {
		results[i] = &duel.Result{Side: e.Side, Unsupported: reason}
	}
	return results
}
