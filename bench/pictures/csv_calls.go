package pictures

import (
	"slices"
	"strconv"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// syscallRounds returns a CSV file with a line for each system call of each round of fig5.
func syscallRounds(r *experiments.Fig5Result) ([]byte, error) {
	var lines [][]string
	for _, row := range r.Rows {
		for _, s := range row.Sides {
			what := slices.Clip([]string{string(row.Kind), strconv.Itoa(row.Size), strconv.Itoa(row.Goroutines), s.Side.Name})
			if s.Unsupported != "" {
				lines = append(lines, append(what, "", "", "", "", "", s.Unsupported))
			}
			for i, round := range s.Rounds {
				if round.Syscalls == nil {
					continue
				}
				for _, c := range round.Syscalls.Calls {
					lines = append(lines, append(what, strconv.Itoa(i+1), strconv.FormatInt(round.Syscalls.Ops, 10),
						c.Name, strconv.FormatInt(c.Count, 10), strconv.FormatInt(int64(c.Time), 10), ""))
				}
			}
		}
	}
	return table([]string{"kind", "size_bytes", "goroutines", "side", "round", "reads", "syscall", "calls", "time_ns", "unsupported"}, lines)
}

// burstRounds returns a CSV file with a line for each round of aio-latency.
func burstRounds(r *experiments.AIOResult) ([]byte, error) {
	number := func(n stats.Number) string { return strconv.FormatFloat(float64(n), 'f', -1, 64) }
	var lines [][]string
	for _, row := range r.Rows {
		what := slices.Clip([]string{row.Scheduler, string(row.Engine)})
		if row.Unsupported != "" {
			lines = append(lines, append(what, "", "", "", "", "", "", "", "", "", row.Unsupported))
		}
		for i, f := range row.Rounds {
			lines = append(lines, append(what, strconv.Itoa(i+1), number(f.All), number(f.Batch), number(f.Half), number(f.Submit),
				number(f.Longest), number(f.First), number(f.Latency), number(f.Worst), ""))
		}
	}
	return table([]string{
		"scheduler", "engine", "round", "all_ns", "writes_per_batch", "half_in_batches_of", "submit_ns", "longest_submit_ns",
		"first_in_batch_ns", "latency_ns", "longest_latency_ns", "unsupported",
	}, lines)
}

// burstWrites returns a CSV file with a line for each write of the drawn bursts.
func burstWrites(r *experiments.AIOResult) ([]byte, error) {
	var lines [][]string
	for _, row := range r.Rows {
		if row.Round == nil {
			continue
		}
		for i := range row.Round.Queued {
			line := []string{row.Scheduler, string(row.Engine), strconv.Itoa(i)}
			for _, at := range []int64{int64(row.Round.Queued[i]), int64(row.Round.Submit[i]), int64(row.Round.Notified[i])} {
				line = append(line, strconv.FormatInt(at, 10))
			}
			lines = append(lines, line)
		}
	}
	return table([]string{"scheduler", "engine", "write", "queued_ns", "submit_ns", "notified_ns"}, lines)
}
