package experiments

import (
	"context"
	"slices"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// fig5 repeats figure 5: the system calls of a read, and their times, for Linux AIO as the paper
// used it and for sluice on each driver. The published figure has a buffered file. Direct reads are
// added because the authors turned to them in figure 6.
//
// The paper's calls are timed one by one; sluice's are timed by its recorder. Both add the cost of
// reading the clock to each call.
var fig5 = Experiment{
	Name:    "fig5",
	Summary: "time of every system call of a read, buffered and direct",
	Source:  fig5Source,
	Steps:   func(Params) int { return len(fig5Loads()) },
	Run:     runFig5,
	Read:    read[Fig5Result],
}

const (
	fig5Source  = attempt2017 + ", figure 5"
	fig5Title   = "time in system calls a read"
	fig5Finding = "io_submit grows with the size of the request, as on a buffered file it blocks until the read is " +
		"done; io_setup, io_getevents and io_destroy are flat. With O_DIRECT it does not block."
)

// fig5Sides are the rows of each size.
var fig5Sides = []load.Side{
	timed(load.PaperAIO), timed(load.Sluice("aio")), timed(load.Sluice("uring")), timed(load.Sluice("pool")),
}

func timed(s load.Side) load.Side {
	s.Timed = true
	return s
}

// The paper has two goroutines. With so few, sluice makes plain calls and hardly uses its drivers,
// so fig5 measures a larger number as well.
const (
	fig5Goroutines = 2
	fig5Many       = 16
)

// fig5Loads returns the paper's sizes on a buffered file, and the same sizes rounded up to the
// sector with O_DIRECT.
func fig5Loads() []load.Load {
	var loads []load.Load
	for _, n := range []int{fig5Goroutines, fig5Many} {
		for _, kind := range []load.Kind{load.ReadCold, load.ReadDirect} {
			for _, size := range fig4Sizes {
				if kind.Direct() {
					size = (size + sector - 1) / sector * sector
				}
				loads = append(loads, load.Load{Kind: kind, Size: size, Goroutines: n})
			}
		}
	}
	return loads
}

// Fig5Result is the result of fig5.
type Fig5Result struct {
	Source  string    `json:"source"`
	Finding string    `json:"finding"`
	Verdict string    `json:"verdict"`
	Rows    []Fig5Row `json:"rows"`
}

// Fig5Row is the result of one load.
type Fig5Row struct {
	load.Load
	Sides []Fig5Side `json:"sides"` // in the order of fig5Sides
}

// Fig5Side is the time that one side's reads spend in system calls.
type Fig5Side struct {
	// PerOp is the time in system calls for one read, summed over all threads. It is the median of
	// the rounds, or null if the side is unsupported.
	PerOp stats.Number  `json:"ns_per_op"`
	Calls []SyscallTime `json:"calls"`
	*duel.Result
}

// SyscallTime is the time of one system call. Its figures are medians of the rounds in which the
// call was made.
type SyscallTime struct {
	Name  string       `json:"name"`
	Mean  stats.Number `json:"mean_ns"`      // time of one call
	PerOp stats.Number `json:"ns_per_op"`    // time of all calls, divided by the reads
	Times stats.Number `json:"times_per_op"` // number of calls, divided by the reads
	// Once is set if the call is made once for a context. Fig5Side.PerOp leaves it out.
	Once bool `json:"once,omitempty"`
}

func runFig5(ctx context.Context, env *Env) (any, error) {
	result := &Fig5Result{Source: fig5Source, Finding: fig5Finding}
	plan := env.plan(callPlan)
	if err := env.Screen.Print("fig5: " + fig5Title + "\n"); err != nil {
		return result, err
	}
	for _, l := range fig5Loads() {
		sides, err := env.compare(ctx, "fig5", l, fig5Sides, plan)
		if err != nil {
			return result, err
		}
		row := newFig5Row(l, sides)
		head := ""
		if l.Size <= sector { // the first size of its table
			head = fig5Head(l)
		}
		result.Rows = append(result.Rows, row)
		if err := env.Screen.Print(head + row.text()); err != nil {
			return result, err
		}
	}
	result.Verdict = fig5Verdict(result.Rows)
	return result, env.Screen.Print(result.notes())
}

func newFig5Row(l load.Load, sides []*duel.Result) Fig5Row {
	row := Fig5Row{Load: l}
	for _, side := range sides {
		row.Sides = append(row.Sides, newFig5Side(side))
	}
	return row
}

// newFig5Side returns the medians of a side's rounds.
func newFig5Side(r *duel.Result) Fig5Side {
	var all []stats.Number
	var calls []*callRounds // in the order in which they first appear
	for _, round := range r.Rounds {
		if round.Syscalls == nil || round.Syscalls.Ops == 0 {
			continue
		}
		ops := stats.Number(round.Syscalls.Ops)
		var sum time.Duration
		for _, c := range round.Syscalls.Calls {
			i := slices.IndexFunc(calls, func(r *callRounds) bool { return r.name == c.Name })
			if i < 0 {
				i, calls = len(calls), append(calls, &callRounds{name: c.Name})
			}
			calls[i].add(c, ops)
			if !onceAContext(c.Name) {
				sum += c.Time
			}
		}
		all = append(all, stats.Number(sum)/ops)
	}
	s := Fig5Side{Result: r, PerOp: stats.Median(all)}
	for _, c := range calls {
		s.Calls = append(s.Calls, c.sum())
	}
	return s
}

// callRounds holds the figures of one system call, one for each round.
type callRounds struct {
	name                string
	mean, perOp, counts []stats.Number
}

func (r *callRounds) add(c load.Syscall, ops stats.Number) {
	r.mean = append(r.mean, stats.Number(c.Time)/stats.Number(max(c.Count, 1)))
	r.perOp = append(r.perOp, stats.Number(c.Time)/ops)
	r.counts = append(r.counts, stats.Number(c.Count)/ops)
}

func (r *callRounds) sum() SyscallTime {
	return SyscallTime{
		Name: r.name, Once: onceAContext(r.name),
		Mean: stats.Median(r.mean), PerOp: stats.Median(r.perOp), Times: stats.Median(r.counts),
	}
}

// onceAContext reports whether a call is made once for many reads. The paper's library kept its
// contexts and reused them.
func onceAContext(name string) bool { return name == "io_setup" || name == "io_destroy" }

// call returns the time of the system call of that name, or NaN if it was not made.
func (s Fig5Side) call(name string) SyscallTime {
	for _, c := range s.Calls {
		if c.Name == name {
			return c
		}
	}
	return SyscallTime{Name: name, Mean: stats.NaN, PerOp: stats.NaN, Times: stats.NaN}
}
