// Package experiments holds what `sluice bench` can run: one file an
// experiment, with its parameters, the published figures where there are any,
// and the way its results are shown.
//
// To add one, write a file that defines an Experiment and name it in All.
package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/report"
)

// Experiment is something that can be measured.
type Experiment struct {
	Name    string
	Summary string // one line for `sluice bench list`
	Source  string // the publication it repeats, "" if it is our own

	// Fio says that fio can take part, and FullSize that what was published had
	// a file whose size follows from the machine's memory.
	Fio, FullSize bool
	// Raw says that it writes to a raw device, and needs no large file; Trees
	// that it copies trees of its own, and needs none at all.
	Raw, Trees bool
	// Slow says that many goroutines read a slow disk of its own.
	Slow bool
	// Modes are what --mode can choose from, of copies.
	Modes []string

	// Steps returns how many steps Run will report, for the progress display.
	Steps func(Params) int
	// Run measures, prints as it goes, and returns what the JSON file is to
	// hold: a value of a type of its own. When it fails after some results
	// it returns those with the error.
	Run func(ctx context.Context, env *Env) (any, error)
	// Read returns what Run returned, from what the JSON file holds of it, and
	// an error if Run cannot have returned that.
	Read func(text []byte) (Result, error)
}

// All are the experiments in the order in which they are listed and run.
var All = slices.Concat([]Experiment{matrix, fig4Read, fig4Write, fig5, fig6}, p4, p2, []Experiment{randDepths, blockCache, fairness, wal, threads, aioLatency, transparent})

// Selection are those that are run when nobody names any.
var Selection = []Experiment{matrix, fig4Read, fig4Write, fig6, scanDirect512k, randDirectSmall}

// Group is a name for several experiments.
type Group struct {
	Name    string
	Summary string // as that of an Experiment
	Members []Experiment
}

// Groups are what Find knows beside the experiments.
var Groups = []Group{
	{Name: "p4", Summary: "the nine settings scan-* and rand-*, and a table of all", Members: p4},
	{Name: "p2", Summary: "copies of trees: cp-* beside other programs, and fio-expect", Members: p2},
}

// Find returns the experiment of that name, or those of that group.
func Find(name string) ([]Experiment, error) {
	var names []string
	for _, e := range All {
		if e.Name == name {
			return []Experiment{e}, nil
		}
		names = append(names, e.Name)
	}
	for _, g := range Groups {
		if g.Name == name {
			return g.Members, nil
		}
		names = append(names, g.Name)
	}
	return nil, fmt.Errorf("unknown experiment %q; there are %s", name, strings.Join(names, ", "))
}

// Params are the user's wishes. The zero value leaves all to the experiment.
type Params struct {
	Brief      bool          // one of several experiments that nobody named
	Full       bool          // every parameter of the publication, not a selection
	Cells      []Pattern     // of the matrix; none is the selection
	Driver     string        // of sluice where an experiment has one sluice side
	Time       time.Duration // of a slice
	Rounds     int
	FailBelow  float64  // of the matrix; 0 never fails
	Calibrate  bool     // the matrix compares os.File with itself
	Fio        bool     // fio takes part where it can do the same
	Modes      []string // of cp-*; none is all
	Levels     int      // of directories of the tree that cp-* copy; 0 leaves them to the experiment
	Programs   []string // that copy; none is all there are
	Seed       uint64   // of the order in which programs copy
	Goroutines int      // on a slow disk; 0 leaves them to the experiment
	Self       Program  // this one

	Procs    int   // GOMAXPROCS, as each side has it
	FileSize int64 // bytes of the file that there is
	Memory   int64 // of the machine, in bytes; 0 if it is not known
}

// Program is a file that can be executed, and the name by which it is called.
type Program struct{ Exe, Name string }

// plan returns the experiment's own plan with the user's wishes in it. When
// all experiments share two minutes, each has five eighths of its rounds,
// but as many as a verdict needs.
func (p Params) plan(own duel.Plan) duel.Plan {
	if p.Brief {
		own.Rounds = max(min(own.Rounds, RoundsForVerdict), own.Rounds*5/8)
	}
	if p.Time > 0 {
		own.Time = p.Time
	}
	if p.Rounds > 0 {
		own.Rounds = p.Rounds
	}
	return own
}

// Lab performs measurements.
type Lab interface {
	// Compare measures the entries. Where ctx ends it after some rounds, those are
	// the results beside the error.
	Compare(ctx context.Context, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error)
	// Disk opens what raw writes go to. The caller closes it.
	Disk() (Disk, error)
	// Trees opens a place with a tree to copy, and tells progress what it does.
	// The caller closes it.
	Trees(ctx context.Context, kind string, shape tree.Shape, progress func(what string, done float64)) (Trees, error)
	// Slow opens a disk that does iops reads a second, with a file of size bytes,
	// and tells progress the fraction that is done. The caller closes it.
	Slow(ctx context.Context, size int64, iops int, progress func(float64)) (SlowDisk, error)
	// Programs has a program that knows os.File alone built by go build and by sluice
	// build, for load.ByGoBuild and load.BySluiceBuild, the latter with that driver.
	// The caller calls remove in the end.
	Programs(ctx context.Context, driver string) (remove func() error, err error)
	// Mixed has fio do a job, and returns its reads and its writes.
	Mixed(ctx context.Context, job fio.Mixed) (reads, writes load.Slice, err error)
}

// Env is what an experiment runs in.
type Env struct {
	Params
	Lab    Lab
	Screen *report.Screen

	interrupted *InterruptedError // nil until a step was
}

// compare is a step: it measures one load through several sides.
func (e *Env) compare(ctx context.Context, name string, l load.Load, sides []load.Side, p duel.Plan) ([]*duel.Result, error) {
	return e.compareAll(ctx, name+" "+l.String(), duel.Same(l, sides), p)
}

// compareAll is a step: it measures the entries, and shows the label while it
// does.
func (e *Env) compareAll(ctx context.Context, label string, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	if err := e.stopped(); err != nil {
		return nil, err
	}
	e.Screen.Step(label)
	defer e.Screen.Done(1)
	results, err := e.Lab.Compare(ctx, entries, p)
	return results, e.finished(ctx, label, rounds(results), p.Rounds, err)
}

// rounds returns how many there are.
func rounds(results []*duel.Result) (n int) {
	for _, r := range results { // what is unsupported has none
		n = max(n, len(r.Rounds))
	}
	return n
}
