package experiments

import (
	"math"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// RaceRow is the result of one side. Its ratios are to the first row, medians over the rounds.
type RaceRow struct {
	load.Load
	Rate     stats.Number `json:"rate"` // bytes of a scan, else operations, a second
	Ratio    stats.Number `json:"ratio"`
	CPU      stats.Number `json:"cpu_ns"` // CPU time of a MiB of a scan, else of an operation
	CPURatio stats.Number `json:"cpu_ratio"`
	Buffers  int64        `json:"buffers"`  // the peak, in bytes
	Resident int64        `json:"resident"` // the peak in bytes, above an idle process
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

// RoundsWith returns the number of rounds with a ratio of the row's rate to the other row's. A
// round has none if one of the rows measured nothing.
func (r RaceRow) RoundsWith(other RaceRow) int {
	return stats.Count(stats.Ratios(r.rates(), other.rates()))
}

// rates returns the bytes a second of each round.
func (r RaceRow) rates() []stats.Number {
	return r.Series(func(s load.Slice) float64 { return s.RateIfMeasured() * float64(r.Size) })
}

// cpus returns, for each round, the processor time for a byte in nanoseconds.
func (r RaceRow) cpus() []stats.Number {
	return r.Series(func(s load.Slice) float64 {
		if s.Ops == 0 {
			return math.NaN()
		}
		return float64(s.CPU) / s.Ops / float64(r.Size)
	})
}

// unit returns the number of bytes that Rate counts as one: 1 for a scan, else an operation's size.
func (r RaceRow) unit() stats.Number {
	if r.Kind.Scan() {
		return 1
	}
	return stats.Number(r.Size)
}

// cpuUnit returns the number of bytes that CPU is for: a MiB for a scan, else an operation's size.
func (r RaceRow) cpuUnit() stats.Number {
	if r.Kind.Scan() {
		return 1 << 20 // 1 MiB
	}
	return stats.Number(r.Size)
}
