package experiments

import (
	"context"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// race compares several sides that read the same bytes, each in its own way. Its table has a row
// for each side.
type race struct {
	title   string
	entries []duel.Entry // ratios are to the first
	subject string       // the side of the published figure; fio repeats its load
	tuned   bool         // tuned fio takes part as well
	checks  []check
	figure  *figure // nil if nothing was published
}

// check asks for a verdict that compares one side with another, in a line under the table. It is
// skipped if one side does not take part.
type check struct{ entry, to string }

// racePlan has slices long enough for fio, which reports times in milliseconds. raceFull has the
// publication's 20 seconds.
var (
	racePlan = duel.Plan{Time: 250 * time.Millisecond, Rounds: 10}
	raceFull = duel.Plan{Time: time.Second, Rounds: 20}
)

func (p Params) racePlan() duel.Plan {
	if p.Full {
		return p.plan(raceFull)
	}
	return p.plan(racePlan)
}

// RaceResult is the result of an experiment that consists of races.
type RaceResult struct {
	Source    string        `json:"source,omitempty"`
	SliceTime time.Duration `json:"slice_time"`
	Rounds    int           `json:"rounds"`
	Races     []Race        `json:"races"`
}

// Race is the result of one race.
type Race struct {
	Title     string    `json:"title"`
	Published string    `json:"published,omitempty"`
	Finding   string    `json:"finding,omitempty"` // whether the published finding holds here
	Verdicts  []Verdict `json:"verdicts"`
	Rows      []RaceRow `json:"rows"`

	figure  *figure
	subject string
}

// raceExperiment is an experiment that consists of races.
type raceExperiment struct {
	name, summary, source string
	fio, fullSize         bool // see Experiment
	races                 func(Params) []race
}

func (r raceExperiment) experiment() Experiment {
	return Experiment{
		Name: r.name, Summary: r.summary, Source: r.source, Fio: r.fio, FullSize: r.fullSize,
		Steps: func(p Params) int { return len(r.races(p)) },
		Run:   r.run,
		Read:  r.read,
	}
}

func (r raceExperiment) run(ctx context.Context, env *Env) (any, error) {
	plan := env.racePlan()
	result := &RaceResult{Source: r.source, SliceTime: plan.Time, Rounds: plan.Rounds}
	for _, race := range r.races(env.Params) {
		if err := env.stopped(); err != nil {
			return result, err
		}
		done, err := race.run(ctx, env, r.name, plan)
		if err != nil {
			return result, err
		}
		result.Races = append(result.Races, done)
	}
	return result, nil
}

func (r race) run(ctx context.Context, env *Env, name string, plan duel.Plan) (Race, error) {
	intro := report.Wrap(fmt.Sprintf("%s: %s", name, r.title)) +
		report.Wrap(fmt.Sprintf("%d rounds of %s, in turn; file of %s%s", plan.Rounds, plan.Time,
			report.Bytes(env.FileSize), r.figure.fileNote(env.Params)))
	if err := env.Screen.Print(intro + "\n"); err != nil {
		return Race{}, err
	}
	results, err := env.compareAll(ctx, name+" "+r.title, r.withFio(env.Params), plan)
	if err != nil {
		return Race{}, err
	}
	done := r.sumUp(env.Params, results)
	return done, env.Screen.Print(done.text())
}

// withFio returns the entries, with fio's at the end if the user asked for fio. fio repeats the
// subject's load.
func (r race) withFio(p Params) []duel.Entry {
	if !p.Fio {
		return r.entries
	}
	for _, e := range r.entries {
		if e.Side.Name == r.subject {
			entries := append(r.entries[:len(r.entries):len(r.entries)], duel.Entry{Load: e.Load, Side: load.Fio})
			if r.tuned {
				entries = append(entries, duel.Entry{Load: e.Load, Side: load.TunedFio})
			}
			return entries
		}
	}
	return r.entries
}

// sumUp returns the Race of the results.
func (r race) sumUp(p Params, results []*duel.Result) Race {
	done := Race{Title: r.title, figure: r.figure, subject: r.subject}
	for i, e := range r.withFio(p) {
		row := newRaceRow(e.Load, results[i])
		first := row
		if i > 0 {
			first = done.Rows[0]
		}
		row.Ratio = stats.Median(stats.Ratios(row.rates(), first.rates()))
		row.CPURatio = stats.Median(stats.Ratios(row.cpus(), first.cpus()))
		done.Rows = append(done.Rows, row)
	}
	if r.figure != nil {
		done.Published = r.figure.text
		done.Finding = done.finding()
	}
	for _, c := range r.checks {
		if v, ok := done.compare(c); ok {
			done.Verdicts = append(done.Verdicts, v)
		}
	}
	return done
}
