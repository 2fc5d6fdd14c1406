package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// fioExpect measures the disk with fio, as the publication did to estimate the limit for a copy. A
// job is half reads and half writes through the page cache: 4 KiB at random offsets or 1 MiB in
// order, cold or from memory. sluice takes no part.
//
// A job waits for each request, so its rate is no upper bound: a copy may have several requests in
// flight.
var fioExpect = Experiment{
	Name:     fioExpectName,
	Summary:  "the disk by fio: half reads, half writes",
	Source:   eio2024,
	OwnFiles: true,
	Steps:    func(Params) int { return len(mixedJobs(0)) },
	Run:      runFioExpect,
	Read:     read[FioResult],
}

const fioExpectName = "fio-expect"

const fioExpectFinding = "what the disk can do, to compare the copies with; its figures are of another disk"

// The file has mixedSize bytes with --full, else mixedQuick. Each job runs mixedRounds times.
const (
	mixedSize   = 1 << 30   // 1 GiB, as published
	mixedQuick  = 128 << 20 // 128 MiB
	mixedRounds = 3
)

// mixedJobs returns the four jobs on a file of that size: 4 KiB at random offsets and 1 MiB in
// order, each cold and from memory.
func mixedJobs(size int64) []fio.Mixed {
	return []fio.Mixed{
		{Size: size, Block: 4 << 10, Random: true},
		{Size: size, Block: 4 << 10, Random: true, PreRead: true},
		{Size: size, Block: 1 << 20},
		{Size: size, Block: 1 << 20, PreRead: true},
	}
}

// FioResult is the result of fio-expect.
type FioResult struct {
	Source  string   `json:"source"`
	Finding string   `json:"finding"`
	Verdict string   `json:"verdict"`
	Size    int64    `json:"size"` // bytes of the file
	Rows    []FioRow `json:"rows"`
}

// FioRow is the result of one job.
type FioRow struct {
	Options []string  `json:"options"`
	Load    load.Load `json:"load"`
	Cached  bool      `json:"pre_read"`
	Read    MixedHalf `json:"read"`
	Write   MixedHalf `json:"write"`
}

// MixedHalf is the result of a job's reads, or of its writes.
type MixedHalf struct {
	Rate stats.Number `json:"bytes_per_s"` // median of the rounds
	*duel.Result
}

// Points returns the reads and the writes of each job.
func (r *FioResult) Points() []Point {
	var points []Point
	for _, row := range r.Rows {
		cell := strings.Join(row.Options, " ")
		points = append(points, Point{cell, row.Load, row.Read.Result}, Point{cell, row.Load, row.Write.Result})
	}
	return points
}

func runFioExpect(ctx context.Context, env *Env) (any, error) {
	result := &FioResult{Source: eio2024, Finding: fioExpectFinding, Size: mixedSize}
	rounds := mixedRounds
	if !env.Full {
		result.Size = mixedQuick
	}
	if env.Rounds > 0 {
		rounds = env.Rounds
	}
	if err := env.Screen.Print(result.head(rounds)); err != nil {
		return result, err
	}
	for _, job := range mixedJobs(result.Size) {
		row, err := mixedRow(ctx, env, job, rounds)
		if stop := env.stopped(); err != nil && stop != nil {
			return result, stop
		}
		if err != nil {
			return result, fmt.Errorf("%s: %w", fioExpectName, err)
		}
		result.Rows = append(result.Rows, row)
		if err := cmp.Or(env.Screen.Print(row.text()), env.stopped()); err != nil {
			return result, err
		}
	}
	result.Verdict = fioVerdict(result.Rows)
	return result, env.Screen.Print(result.notes())
}

// mixedRow measures one job. It is one step.
func mixedRow(ctx context.Context, env *Env, job fio.Mixed, rounds int) (FioRow, error) {
	defer env.Screen.Done(1)
	half := func(name string) MixedHalf {
		return MixedHalf{Result: &duel.Result{Side: load.Side{Name: name, Way: load.ByFio}}}
	}
	row := FioRow{
		Options: job.Options(), Load: mixedLoad(job), Cached: job.PreRead,
		Read: half("fio, reads"), Write: half("fio, writes"),
	}
	for n := range rounds {
		step := fioExpectName + " " + job.Options()[0]
		env.Screen.Step(fmt.Sprintf("%s, round %d of %d", step, n+1, rounds))
		reads, writes, err := env.Lab.Mixed(ctx, job)
		if missing, ok := errors.AsType[*fio.MissingError](err); ok {
			row.Read.Unsupported, row.Write.Unsupported = missing.Error(), missing.Error()
			break
		}
		if err != nil {
			if err := env.endStep(ctx, step, n, rounds, err); err != nil {
				return row, err
			}
			break
		}
		row.Read.Rounds, row.Write.Rounds = append(row.Read.Rounds, reads), append(row.Write.Rounds, writes)
	}
	row.Read.Rate, row.Write.Rate = row.Read.rate(row.Load), row.Write.rate(row.Load)
	return row, nil
}

func mixedLoad(job fio.Mixed) load.Load {
	kind := load.MixedSequential
	if job.Random {
		kind = load.MixedRandom
	}
	return load.Load{Kind: kind, Size: job.Block, Goroutines: 1}
}

func (h MixedHalf) rate(l load.Load) stats.Number {
	return stats.Median(h.Series(load.Slice.Rate)) * stats.Number(l.Size)
}

// fioTable has a row for each job.
var fioTable = report.Table{
	{Head: "fio", Width: 47},
	{Head: "reads\nMB/s", Width: 7, Align: report.Right},
	{Head: "writes\nMB/s", Width: 7, Align: report.Right},
}

func (r *FioResult) head(rounds int) string {
	text := report.Wrap(fmt.Sprintf(fioExpectName+": half reads, half writes of a file of %s in --dir; medians, rounds: %d", report.Bytes(r.Size), rounds))
	if r.Size != mixedSize {
		text += report.Wrap(fmt.Sprintf("quick: as published it is %s (--full)", report.Bytes(mixedSize)))
	}
	return text + "\n" + fioTable.Header()
}

// text names the job by its options, without the size of the file that all jobs share.
func (r FioRow) text() string {
	name := strings.Join(append([]string{r.Options[0]}, r.Options[2:]...), " ")
	if r.Read.Unsupported != "" {
		return report.Hang("", "  ", name+": "+r.Read.Unsupported)
	}
	return fioTable.Row(strings.ReplaceAll(name, "--", ""), report.Count(r.Read.Rate/1e6), report.Count(r.Write.Rate/1e6))
}

func (r *FioResult) notes() string {
	return "\n" + report.Wrap("published ("+r.Source+"): "+r.Finding) + report.Wrap("here: "+r.Verdict) + "\n"
}

// fioVerdict compares large blocks with small ones, both cold.
func fioVerdict(rows []FioRow) string {
	var small, large FioRow
	for _, row := range rows {
		switch {
		case row.Cached || row.Read.Unsupported != "":
		case row.Load.Kind == load.MixedRandom:
			small = row
		default:
			large = row
		}
	}
	if small.Read.Result == nil || large.Read.Result == nil {
		return "undecided without fio"
	}
	return fmt.Sprintf("cold and durable, a job that waits for each request reads and writes %s MB/s by sequential blocks of 1 MiB, %s times as much as by random blocks of 4 KiB: a copy of large files can be faster only with several requests in flight, and a copy of small files only if it orders its requests",
		report.Count((large.Read.Rate+large.Write.Rate)/1e6), report.Ratio((large.Read.Rate+large.Write.Rate)/(small.Read.Rate+small.Write.Rate)))
}
