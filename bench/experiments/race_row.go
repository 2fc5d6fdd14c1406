package experiments

import (
	"math"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// RaceRow is one way. Ratios are to the first row, medians over the rounds.
type RaceRow struct {
	load.Load
	Rate     stats.Number `json:"rate"` // bytes a second of scans, else operations
	Ratio    stats.Number `json:"ratio"`
	CPU      stats.Number `json:"cpu_ns"` // of a MiB of scans, else of an operation
	CPURatio stats.Number `json:"cpu_ratio"`
	Buffers  int64        `json:"buffers"`  // bytes, at most
	Resident int64        `json:"resident"` // bytes more than the idle process, at most
	*duel.Result
}

func newRaceRow(l load.Load, r *duel.Result) RaceRow {
	row := RaceRow{Load: l, Result: r}
	row.Rate = stats.Median(row.rates()) / row.unit()
	row.CPU = stats.Median(row.cpus()) * row.cpuUnit()
	for _, s := range r.Rounds {
		row.Buffers, row.Resident = max(row.Buffers, s.Buffers), max(row.Resident, s.Resident)
	}
	return row
}

// rates are the bytes a second of every round.
func (r RaceRow) rates() []stats.Number {
	return r.Series(func(s load.Slice) float64 {
		if s.Elapsed <= 0 { // all that was cold had been read before the window opened
			return math.NaN()
		}
		return s.Rate() * float64(r.Size)
	})
}

// cpus are the nanoseconds of processor time a byte of every round.
func (r RaceRow) cpus() []stats.Number {
	return r.Series(func(s load.Slice) float64 {
		if s.Ops == 0 {
			return math.NaN()
		}
		return float64(s.CPU) / s.Ops / float64(r.Size)
	})
}

// unit is what rates are counted in, and cpuUnit processor time, in bytes.
func (r RaceRow) unit() stats.Number {
	if r.Kind.Scan() {
		return 1
	}
	return stats.Number(r.Size)
}

func (r RaceRow) cpuUnit() stats.Number {
	if r.Kind.Scan() {
		return 1 << 20 // 1 MiB
	}
	return stats.Number(r.Size)
}
