package experiments

import (
	"cmp"
	"slices"
	"time"

	"github.com/sluiceio/sluice/bench/internal/blockdev"
	"github.com/sluiceio/sluice/bench/internal/burst"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// AIORow is the result of one engine under one I/O scheduler.
type AIORow struct {
	Scheduler   string       `json:"scheduler"` // "" if unknown
	Engine      burst.Engine `json:"engine"`
	Unsupported string       `json:"unsupported,omitempty"`
	AIOFigures               // the medians of the rounds
	Rounds      []AIOFigures `json:"rounds"`
	// Round is the whole burst of the round with the median time. The pictures show it.
	Round *burst.Result `json:"round,omitempty"`
}

// AIOFigures are the figures of one burst. Times are in nanoseconds.
type AIOFigures struct {
	// All is the time from queueing the first write to the last completion.
	All stats.Number `json:"all_ns"`
	// Batch is the number of writes that complete together, the median of the batches.
	Batch stats.Number `json:"writes_per_batch"`
	// Half of the writes complete in batches of at least this size.
	Half    stats.Number `json:"half_in_batches_of"`
	Submit  stats.Number `json:"submit_ns"`         // median time of the call that queues a write
	Longest stats.Number `json:"longest_submit_ns"` // longest time of that call
	// First is the latency of the first write of a batch: the median.
	First   stats.Number `json:"first_in_batch_ns"`
	Latency stats.Number `json:"latency_ns"`         // median latency of all writes
	Worst   stats.Number `json:"longest_latency_ns"` // longest latency of all writes
}

func newAIORow(scheduler string, e burst.Engine, rounds []*burst.Result) AIORow {
	row := AIORow{Scheduler: scheduler, Engine: e}
	for _, r := range rounds {
		row.Rounds = append(row.Rounds, figuresOf(r))
	}
	row.AIOFigures = AIOFigures{
		All:     row.median(func(f AIOFigures) stats.Number { return f.All }),
		Batch:   row.median(func(f AIOFigures) stats.Number { return f.Batch }),
		Half:    row.median(func(f AIOFigures) stats.Number { return f.Half }),
		Submit:  row.median(func(f AIOFigures) stats.Number { return f.Submit }),
		Longest: row.median(func(f AIOFigures) stats.Number { return f.Longest }),
		First:   row.median(func(f AIOFigures) stats.Number { return f.First }),
		Latency: row.median(func(f AIOFigures) stats.Number { return f.Latency }),
		Worst:   row.median(func(f AIOFigures) stats.Number { return f.Worst }),
	}
	if len(rounds) > 0 {
		sorted := slices.SortedFunc(slices.Values(rounds), func(a, b *burst.Result) int { return cmp.Compare(a.All(), b.All()) })
		row.Round = sorted[len(sorted)/2]
	}
	return row
}

// Series returns one figure of every round.
func (r AIORow) Series(of func(AIOFigures) stats.Number) []stats.Number {
	v := make([]stats.Number, len(r.Rounds))
	for i, f := range r.Rounds {
		v[i] = of(f)
	}
	return v
}

func (r AIORow) median(of func(AIOFigures) stats.Number) stats.Number {
	return stats.Median(r.Series(of))
}

func figuresOf(r *burst.Result) AIOFigures {
	// batches has the size of each batch. ofEach has, for each write, the size of its batch.
	var batches, ofEach []stats.Number
	for _, b := range r.Batches {
		n := stats.Number(b.Writes)
		batches, ofEach = append(batches, n), append(ofEach, slices.Repeat([]stats.Number{n}, b.Writes)...)
	}
	return AIOFigures{
		All:     stats.Number(r.All()),
		Batch:   stats.Median(batches),
		Half:    stats.Median(ofEach),
		Submit:  stats.Median(numbers(r.Submit)),
		Longest: stats.Number(slices.Max(r.Submit)),
		First:   stats.Median(numbers(firsts(r))),
		Latency: stats.Median(numbers(latencies(r))),
		Worst:   stats.Number(slices.Max(latencies(r))),
	}
}

func numbers(times []time.Duration) []stats.Number {
	v := make([]stats.Number, len(times))
	for i, t := range times {
		v[i] = stats.Number(t)
	}
	return v
}

// firsts returns the latency of the first write of each batch.
func firsts(r *burst.Result) []time.Duration {
	v := make([]time.Duration, len(r.Batches))
	for i, b := range r.Batches {
		v[i] = r.Latency(b.First)
	}
	return v
}

func latencies(r *burst.Result) []time.Duration {
	v := make([]time.Duration, len(r.Queued))
	for i := range v {
		v[i] = r.Latency(i)
	}
	return v
}

// schedulersOf returns the schedulers to measure. The device's current one comes first; it is the
// only one if no other can be set.
func schedulersOf(a blockdev.About) []string {
	all := []string{a.Scheduler}
	for _, s := range a.Schedulers {
		if s != a.Scheduler && a.Scheduler != "" {
			all = append(all, s)
		}
	}
	return all
}
