package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/internal/tree"
)

// copyExperiment compares programs that copy a tree: sluice cp, cp -r, other programs, a library,
// and a floor of bare system calls. Each mode has its own table. In a round each program makes one
// copy, in random order. A copy goes to a new directory; removing it is not timed. Copies vary by
// tens of percent, so a verdict may need more --rounds.
type copyExperiment struct {
	name, summary string
	shape         tree.Shape // the published tree
	quick         int        // levels of the tree without --full
	modes         []copyMode
	kind          string // the file system's kind if the user names none; "" leaves it to Trees
}

// copyMode is a condition under which all programs copy. Each has a table.
type copyMode struct {
	copies.Mode
	title    string
	programs func(p Params, kind string) []copies.Contender // the programs; ratios are to the first
	rounds   int
	warm     bool        // a warm-up round comes first and does not count
	figure   *copyFigure // nil if nothing was published
}

// Trees is a place where a tree is copied. Outside tests it is a *copies.Place.
type Trees interface {
	About() copies.About
	// Has reports whether the program is installed.
	Has(c copies.Contender) bool
	// Copy runs a program that copies the tree once. With check, it compares the copy with the
	// tree.
	Copy(ctx context.Context, c copies.Contender, m copies.Mode, check bool) (program.Usage, error)
	Close() error
}

// regular and cold are the published modes. In the third, each file must survive a power cut. That
// takes long, so without --full it copies only a part of the tree.
var (
	regular = copyMode{
		Mode: copies.Mode{Name: "regular"}, title: "the source in memory, the copy too",
		programs: unsyncedPrograms, rounds: 10, warm: true,
	}
	cold = copyMode{
		Mode: copies.Mode{Name: "cold", Cold: true, Sync: copies.SyncFS}, title: "caches dropped before, the copy made durable by syncfs",
		programs: syncfsPrograms, rounds: RoundsForVerdict,
	}
	everyFsync = copyMode{
		Mode: copies.Mode{Name: "every-fsync", Cold: true, Sync: copies.SyncFiles}, title: "caches dropped before, an fsync for each file",
		programs: fsyncPrograms, rounds: 3,
	}
)

// with returns the mode with the published figure.
func (m copyMode) with(f copyFigure) copyMode {
	m.figure = &f
	return m
}

// beside returns the mode with more programs, which come after the first two.
func (m copyMode) beside(more func(p Params) []copies.Contender) copyMode {
	before := m.programs
	m.programs = func(p Params, kind string) []copies.Contender { return slices.Insert(before(p, kind), 2, more(p)...) }
	return m
}

func (c copyExperiment) experiment() Experiment {
	var modes []string
	for _, m := range c.modes {
		modes = append(modes, m.Name)
	}
	return Experiment{
		Name: c.name, Summary: c.summary, Source: eio2024, OwnFiles: true, Modes: modes,
		Steps: c.steps,
		Run:   c.run,
		Read:  read[CopyResult],
	}
}

// steps returns the number of steps: one to make the tree, and one for each mode.
func (c copyExperiment) steps(p Params) int {
	if n := len(c.chosen(p)); n > 0 {
		return 1 + n
	}
	return 0
}

// chosen returns the modes to measure, changed by the user's parameters.
func (c copyExperiment) chosen(p Params) []copyMode {
	var modes []copyMode
	for _, m := range c.modes {
		if len(p.Modes) > 0 && !slices.Contains(p.Modes, m.Name) {
			continue
		}
		m.Part = m.Sync == copies.SyncFiles && !p.Full && p.Levels == 0
		if p.Rounds > 0 {
			m.rounds = p.Rounds
		}
		modes = append(modes, m)
	}
	return modes
}

// tree returns the tree to copy.
func (c copyExperiment) tree(p Params) tree.Shape {
	s := c.shape
	switch {
	case p.Levels > 0:
		s.Levels = p.Levels
	case !p.Full:
		s.Levels = c.quick
	}
	return s
}

// floor reports whether the programs include a floor.
func (c copyExperiment) floor(p Params, place Trees) bool {
	for _, m := range c.chosen(p) {
		for _, contender := range p.chosen(m.programs(p, place.About().Kind), place) {
			if firstWord(contender.Name) == "floor" {
				return true
			}
		}
	}
	return false
}

func (c copyExperiment) run(ctx context.Context, env *Env) (_ any, err error) {
	shape := c.tree(env.Params)
	result := &CopyResult{Source: eio2024, Shape: shape, Published: c.shape, Seed: env.Seed}
	if len(c.chosen(env.Params)) == 0 { // --mode names only modes of other experiments
		return result, nil
	}
	place, err := env.Lab.Trees(ctx, c.kind, shape, func(what string, done float64) {
		env.Screen.Step(fmt.Sprintf("%s: %s %.0f %%", c.name, what, 100*done))
	})
	if err != nil {
		return result, fmt.Errorf("%s: %w", c.name, err)
	}
	defer func() { err = errors.Join(err, place.Close()) }() // after a panic too
	env.Screen.Done(1)
	result.Place = place.About()
	if err := env.Screen.Print(result.head(c.name, c.floor(env.Params, place))); err != nil {
		return result, err
	}
	for _, m := range c.chosen(env.Params) {
		done, err := m.run(ctx, env, c.name, place)
		if stop := env.stopped(); err != nil && stop != nil {
			return result, stop
		}
		if err != nil {
			return result, fmt.Errorf("%s, %s: %w", c.name, m.Name, err)
		}
		done.sumUp(m)
		result.Modes = append(result.Modes, done)
		if err := cmp.Or(env.Screen.Print(done.text()), env.stopped()); err != nil {
			return result, err
		}
	}
	return result, nil
}
