// Package experiments holds what `sluice bench` can measure. Each experiment has a file that is
// named after it, with what is compared, the parameters, the published figures where there are
// any, and the verdict.
//
// # Words
//
// These words have one meaning in this module:
//
//   - An experiment compares sides under one or more loads. A run is one start of `sluice bench`,
//     which performs one or more experiments; --json and --report keep its results.
//   - A load is what is done to the file: a kind of operation, a size, a number of goroutines
//     (load.Load). A cell is one load, measured through all sides.
//   - A side is one of the things that are compared: os.File, sluice on one driver, fio, a program
//     that copies (load.Side). Its Way is the call or program by which it performs operations.
//   - A process performs one slice of one side: a worker process of this program, fio, or the
//     program that is measured. Two sides never share one, except the two engines of aio-latency,
//     whose bursts take milliseconds.
//   - A slice is the time for which one process performs its load without a pause. Only its window
//     counts; the lead-in before the window does not. Each slice is a new process.
//   - A round is one slice of each side, in turn, in reverse order every other time. Ratios are
//     formed within a round, and a cell's figures are medians over its rounds. Of programs that
//     copy, a round is one copy by each, in random order.
//   - A step is what the progress display counts: usually a cell.
//   - A verdict on a ratio follows from its 95 % interval: ahead, behind, level or unclear
//     (stats.Judge). Other verdicts compare a figure with a published finding or with a target of
//     this project. All need at least RoundsForVerdict rounds.
//
// # What makes a figure wrong
//
// Ratios between sides of one cell hold on a busy machine, because all sides share the
// disturbance. Absolute figures, and ratios between cells or runs, do not: another program, a
// disk in a cloud that remembers recent reads, or a processor that changes its clock shifts them
// by more than any interval shows. `sluice bench matrix --calibrate` shows how much noise remains
// within a round. Each experiment says what else can mislead about it.
//
// # To add an experiment
//
// Write a file that defines an Experiment, add it to All, and run the tests with -update, which
// write its golden files. The experiment measures through Env, which prints and keeps track of
// progress and interruption; it returns a Result, which pictures draws and compare compares.
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

// Experiment is something that can be measured, with what the command has to prepare for it.
type Experiment struct {
	Name    string
	Summary string // one line for `sluice bench list`
	Source  string // the publication it repeats, "" if it is our own

	Fio      bool     // fio can take part as a side
	FullSize bool     // the published file had a size that follows from the machine's memory
	Raw      bool     // writes to a raw device; a small temporary file is enough
	OwnFiles bool     // makes the files that it needs; there is no temporary file
	Precise  bool     // cells get as many rounds as they need (precision)
	Slow     bool     // many goroutines read a slow disk that the experiment makes
	Disk     bool     // measures a disk; the directory must not be on tmpfs
	Modes    []string // what --mode can choose from; only copies of trees have any

	// Cells returns the cells that --cells can choose from; nil if it can choose none.
	Cells func(Params) []load.Load
	// Steps returns how many steps Run will report, for the progress display.
	Steps func(Params) int
	// Run measures, prints each part as soon as it is measured, and returns the Result for the
	// JSON file. If it fails midway, it returns what it has together with the error.
	Run func(ctx context.Context, env *Env) (any, error)
	// Read decodes a Result from its part of the JSON file. It returns an error for a result that
	// Run cannot have returned.
	Read func(text []byte) (Result, error)
}

// All are the experiments in the order in which they are listed and run.
var All = slices.Concat([]Experiment{matrix, fig4Read, fig4Write, fig5, fig6}, p4, p2, []Experiment{randDepths, blockCache, mappedFile, fairness, wal, scale, threads, aioLatency, transparent, pebble})

// Selection are the experiments of a run that names none, which takes less than three minutes.
var Selection = []Experiment{matrix, fig4Read, scanDirect512k, randDirectSmall}

// Group is a name for several experiments.
type Group struct {
	Name    string
	Summary string // one line for `sluice bench list`
	Members []Experiment
}

// Groups are the names that Find knows in addition to those of experiments.
var Groups = []Group{
	{Name: "p4", Summary: "the nine settings scan-* and rand-*, and a table of all", Members: p4},
	{Name: "p2", Summary: "copies of trees: cp-* beside other programs, and fio-expect", Members: p2},
}

// Find returns the experiment of that name, or the members of the group of that name.
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

// Params are the user's wishes, and what the command knows of the machine. The zero value leaves
// all to the experiment.
type Params struct {
	Brief      bool          // the run names no experiment: each of the selection takes less time
	Full       bool          // every parameter of the publication, not a selection of them
	Cells      []Pattern     // cells of the matrix and of pebble; empty is the experiment's selection
	CellProcs  []int         // numbers of processors with which the matrix measures each cell; empty leaves it to the matrix
	Driver     string        // sluice's, in experiments that have one side of sluice; "" is its own choice
	Time       time.Duration // length of a slice; 0 leaves it to the experiment
	Rounds     int           // of a cell; 0 leaves it to the experiment
	PerCell    time.Duration // of a cell that gets as many rounds as it needs; 0 leaves it to the experiment
	FailBelow  float64       // the matrix fails if a ratio's whole interval is below it; 0 never fails
	Calibrate  bool          // the matrix compares os.File with itself
	Fio        bool          // fio takes part where it can do the same
	Modes      []string      // modes of cp-*; empty is all
	Levels     int           // levels of the tree that cp-* copy; 0 leaves it to the experiment
	Programs   []string      // programs that cp-* measure; empty is all that are installed
	Seed       uint64        // of the order in which programs copy
	Goroutines int           // on a slow disk; 0 leaves it to the experiment
	Kept       bool          // the results are written to a file, too
	Self       Program       // this program
	Command    string        // the file of command sluice; "" if this program is its own
	Began      time.Time     // when the run began, if it has one experiment; its preparation counts

	Procs    int   // GOMAXPROCS, the same in each process but those of cells that have their own
	CPUs     int   // processors of this machine
	FileSize int64 // bytes of the temporary file
	Size     int64 // bytes of the temporary file or database that the user asked for; 0 leaves it to the experiment
	Memory   int64 // bytes that the machine has; 0 if unknown
}

// Program is a file that can be executed, and the name by which it is called.
type Program struct{ Exe, Name string }

// plan returns the experiment's plan, changed as the user wishes. If the run names no experiment,
// all of the selection share three minutes: each gets five eighths of its rounds, but no fewer than
// a verdict needs.
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

// comparer measures entries.
type comparer interface {
	// Compare measures the entries in turn. If ctx ends, it returns the rounds that all entries
	// finished, together with the error.
	Compare(ctx context.Context, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error)
}

// Lab performs the measurements. The command's Lab starts processes and makes disks; tests have
// one that invents figures.
type Lab interface {
	comparer // on the temporary file
	// Disk opens the device for raw writes. The caller closes it.
	Disk() (Disk, error)
	// Trees makes a tree to copy, on a file system of that kind if there can be one. It calls
	// progress with what it is doing and the fraction that is done. The caller closes the Trees.
	Trees(ctx context.Context, kind string, shape tree.Shape, progress func(what string, done float64)) (Trees, error)
	// Slow makes a disk that does iops reads a second, with a file of size bytes. It calls
	// progress with the fraction that is done. The caller closes the disk.
	Slow(ctx context.Context, size int64, iops int, progress func(float64)) (SlowDisk, error)
	// Programs builds a program that uses only os.File twice: by go build (load.ByGoBuild) and by
	// sluice build (load.BySluiceBuild, on that driver). The caller calls remove when it is done.
	Programs(ctx context.Context, driver string) (remove func() error, err error)
	// Starters builds the programs of load.Start. Where they cannot be built, the sides of such a load
	// are unsupported, and say why. The caller calls remove when it is done.
	Starters(ctx context.Context) (remove func() error, err error)
	// Tmpfs makes a file of size bytes on tmpfs. It calls progress with the fraction that is written.
	// The error says why there can be none. The caller closes the Tmpfs.
	Tmpfs(ctx context.Context, size int64, progress func(float64)) (Tmpfs, error)
	// Database makes a Pebble database by the load, which is a load.PebbleLoad. The processes of its
	// Compare have so much memory. It calls progress with the present step and the fraction of it that
	// is done. The error is a database.ErrMissing where memory cannot be limited. The caller closes the
	// Database.
	Database(ctx context.Context, l load.Load, memory int64, driver string, progress func(what string, done float64)) (Database, error)
	// Mixed runs a job of fio, and returns what its reads and its writes measured.
	Mixed(ctx context.Context, job fio.Mixed) (reads, writes load.Slice, err error)
}

// Env is the environment of an experiment: the parameters, the Lab, and where it prints.
type Env struct {
	Params
	Lab    Lab
	Screen *report.Screen

	interrupted *InterruptedError // set when ctx ended during a step; nil before
}

// compare measures one load through several sides. It is one step.
func (e *Env) compare(ctx context.Context, name string, l load.Load, sides []load.Side, p duel.Plan) ([]*duel.Result, error) {
	return e.compareAll(ctx, name+" "+l.String(), duel.Same(l, sides), p)
}

// compareAll measures the entries, and shows the label meanwhile. It is one step.
func (e *Env) compareAll(ctx context.Context, label string, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	return e.compareOn(ctx, e.Lab, label, entries, p)
}

// compareOn is compareAll where there is something else than the temporary file to measure on.
func (e *Env) compareOn(ctx context.Context, on comparer, label string, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	if err := e.stopped(); err != nil {
		return nil, err
	}
	e.Screen.Step(label)
	defer e.Screen.Done(1)
	results, err := on.Compare(ctx, entries, p)
	return results, e.endStep(ctx, label, rounds(results), p.Rounds, err)
}

// rounds returns the number of rounds. A side that is unsupported has none.
func rounds(results []*duel.Result) (n int) {
	for _, r := range results {
		n = max(n, len(r.Rounds))
	}
	return n
}
