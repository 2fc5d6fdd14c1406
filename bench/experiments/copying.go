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

// copying is an experiment on programs that copy a tree.
type copying struct {
	name, summary string
	shape         tree.Shape // as published
	quick         int        // levels of it without --full
	modes         []copyMode
	kind          string // of the file system, where the user wishes for none; "" is what Trees takes
}

// copyMode is one table of such an experiment.
type copyMode struct {
	copies.Mode
	title    string
	programs func(p Params, kind string) []copies.Contender // the first is what the others' ratios are to
	rounds   int
	warm     bool        // a round precedes those that count
	figure   *copyFigure // nil where nothing was published
}

// Trees is a place where a tree is copied. It is a *copies.Place except in tests.
type Trees interface {
	About() copies.About
	// Has reports whether there is such a program.
	Has(c copies.Contender) bool
	// Copy has a program copy the tree once; check compares it with its copy.
	Copy(ctx context.Context, c copies.Contender, m copies.Mode, check bool) (program.Usage, error)
	Close() error
}

// The modes of the publication, and a third: files that are to survive a power
// cut one by one. Without --full that is a part of the tree, as it takes long.

var (
	regular = copyMode{
		Mode: copies.Mode{Name: "regular"}, title: "the source in memory, the copy too",
		programs: hot, rounds: 10, warm: true,
	}
	cold = copyMode{
		Mode: copies.Mode{Name: "cold", Cold: true, Sync: copies.SyncFS}, title: "caches dropped before, the copy made durable by syncfs",
		programs: settled, rounds: RoundsForVerdict,
	}
	everyFsync = copyMode{
		Mode: copies.Mode{Name: "every-fsync", Cold: true, Sync: copies.SyncFiles}, title: "caches dropped before, an fsync for each file",
		programs: durable, rounds: 3,
	}
)

// with returns the mode with the published figure.
func (m copyMode) with(f copyFigure) copyMode {
	m.figure = &f
	return m
}

// beside returns the mode with more programs, which follow the first two.
func (m copyMode) beside(more func(p Params) []copies.Contender) copyMode {
	before := m.programs
	m.programs = func(p Params, kind string) []copies.Contender { return slices.Insert(before(p, kind), 2, more(p)...) }
	return m
}

func (c copying) experiment() Experiment {
	var modes []string
	for _, m := range c.modes {
		modes = append(modes, m.Name)
	}
	return Experiment{
		Name: c.name, Summary: c.summary, Source: eio2024, Trees: true, Modes: modes,
		Steps: c.steps,
		Run:   c.run,
		Read:  read[CopyResult],
	}
}

// steps counts the making of the tree and each mode.
func (c copying) steps(p Params) int {
	if n := len(c.chosen(p)); n > 0 {
		return 1 + n
	}
	return 0
}

// chosen returns the modes to measure, with the user's wishes in them.
func (c copying) chosen(p Params) []copyMode {
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
func (c copying) tree(p Params) tree.Shape {
	s := c.shape
	switch {
	case p.Levels > 0:
		s.Levels = p.Levels
	case !p.Full:
		s.Levels = c.quick
	}
	return s
}

// floor reports whether the floor is among the programs.
func (c copying) floor(p Params, place Trees) bool {
	for _, m := range c.chosen(p) {
		for _, contender := range p.chosen(m.programs(p, place.About().Kind), place) {
			if firstWord(contender.Name) == "floor" {
				return true
			}
		}
	}
	return false
}

func (c copying) run(ctx context.Context, env *Env) (_ any, err error) {
	shape := c.tree(env.Params)
	result := &CopyResult{Source: eio2024, Shape: shape, Published: c.shape, Seed: env.Seed}
	if len(c.chosen(env.Params)) == 0 { // --mode names others
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
