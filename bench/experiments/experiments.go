// Package experiments holds what `sluice bench` can measure. Each experiment has a file of its
// name, with the comparison, the parameters, the published figures if there are any, and the
// verdict.
//
// # Words
//
// These words have one meaning in this module:
//
//   - An experiment compares sides under one or more loads. A run is one start of `sluice bench`,
//     which performs one or more experiments; --json and --report keep its results.
//   - A load is a kind of operation, a size and a number of goroutines (load.Load). A cell is one
//     load, measured through all sides.
//   - A side is one of the compared things: os.File, sluice on one driver, fio, a program that
//     copies (load.Side). Its Way is the call or program by which it performs operations.
//   - A process performs one slice of one side. It is a worker process of this program, fio, or the
//     measured program. Only the two engines of aio-latency share a process: their bursts take
//     milliseconds.
//   - A slice is the time for which one process performs its load without a pause. Only its window
//     counts; the lead-in before the window does not. Each slice is a new process.
//   - A round is one slice of each side, in turn, in reverse order every other time. Ratios are
//     formed within a round, and a cell's figures are medians over its rounds. For programs that
//     copy, a round is one copy by each program, in random order.
//   - A step is a unit of the progress display, usually a cell.
//   - A verdict on a ratio follows from its 95 % interval: ahead, behind, level or unclear
//     (stats.Judge). Other verdicts compare a figure with a published finding or with a target of
//     this project. All need at least RoundsForVerdict rounds.
//
// # What makes a figure wrong
//
// Ratios between sides of one cell hold on a busy machine, because all sides share the disturbance.
// Absolute figures, and ratios between cells or runs, do not hold: another program, a cloud disk
// that remembers recent reads, or a changed processor clock shifts them by more than any interval
// shows. `sluice bench matrix --calibrate` shows the noise that remains within a round. The comment
// of each experiment has its other sources of error.
//
// # To add an experiment
//
// Write a file that defines an Experiment, add it to All, and run the tests with -update to write
// the golden files. The experiment measures through Env, which prints, counts steps and handles
// interruption. It returns a Result, which package pictures draws and package compare compares.
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

// Experiment is something that can be measured, with the requirements that the command meets first.
type Experiment struct {
	Name    string
	Summary string // one line for `sluice bench list`
	Source  string // the publication that it repeats; "" if it is new

	Fio      bool     // whether fio can take part as a side
	FullSize bool     // whether the published file's size depended on the machine's memory
	Raw      bool     // writes to a raw device, so a small temporary file is enough
	OwnFiles bool     // makes the files that it needs, so there is no temporary file
	Precise  bool     // whether a cell gets as many rounds as it needs (precision)
	Slow     bool     // whether many goroutines read a slow disk that it makes
	Disk     bool     // whether it measures a disk, so that the directory must not be on tmpfs
	Modes    []string // the choices of --mode; only copies of trees have any

	// Cells returns the cells that --cells can choose from; nil means that it has no --cells.
	Cells func(Params) []load.Load
	// Steps returns the number of steps that Run will report, for the progress display.
	Steps func(Params) int
	// Run measures. It prints each part as soon as it is measured, and returns the Result for the
	// JSON file. If it fails midway, it returns the parts so far together with the error.
	Run func(ctx context.Context, env *Env) (any, error)
	// Read decodes a Result from its part of the JSON file. A Result that Run cannot have returned
	// is an error.
	Read func(text []byte) (Result, error)
}

// All are the experiments in the order in which they are listed and run.
var All = slices.Concat([]Experiment{matrix, fig4Read, fig4Write, fig5, fig6}, p4, p2, []Experiment{randDepths, blockCache, mappedFile, fairness, wal, scale, threads, aioLatency, transparent, pebble})

// Selection is the experiments of a run that names none: the matrix, in less than three minutes.
var Selection = []Experiment{matrix}

// Group is a name for several experiments.
type Group struct {
	Name    string
	Summary string // one line for `sluice bench list`
	Members []Experiment
}

// Groups are names that Find accepts in addition to the experiments' names.
var Groups = []Group{
	{Name: "p4", Summary: "scan-* and rand-*, and a table of all nine", Members: p4},
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

// Params are the user's parameters, and facts about the machine. The zero value leaves all to the
// experiment.
type Params struct {
	Brief      bool          // the run names no experiment: the cells of the matrix have less time
	Full       bool          // all of the publication's parameters, not a selection
	Cells      []Pattern     // cells of matrix and pebble; empty means their selection
	CellProcs  []int         // GOMAXPROCS of the matrix's cells, in turn; empty is its choice
	Driver     string        // for experiments with one side of sluice; "" is sluice's choice
	Time       time.Duration // length of a slice; 0 leaves it to the experiment
	Rounds     int           // rounds of a cell; 0 leaves it to the experiment
	PerCell    time.Duration // most time of a cell (precision); 0 leaves it to the experiment
	FailBelow  float64       // the matrix fails if a whole interval is below it; 0 never fails
	Calibrate  bool          // the matrix compares os.File with itself
	Fio        bool          // fio takes part where it can do the same
	Modes      []string      // modes of cp-*; empty is all
	Levels     int           // levels of the tree that cp-* copy; 0 leaves it to the experiment
	Programs   []string      // the programs that cp-* measure; empty means all that are installed
	Seed       uint64        // determines the order in which programs copy
	Goroutines int           // goroutines on a slow disk; 0 leaves it to the experiment
	Kept       bool          // the results are also written to a file
	Self       Program       // this program
	Command    string        // the file of command sluice; "" if this program is its own
	Began      time.Time     // when the run began, if it has one experiment; its preparation counts

	Procs    int   // GOMAXPROCS of each process, unless the cell sets another
	CPUs     int   // processors of this machine
	FileSize int64 // bytes of the temporary file
	Size     int64 // bytes of the file or database (--size); 0 leaves it to the experiment
	Memory   int64 // the machine's bytes; 0 if unknown
}

// Program is a file that can be executed, and the name by which it is called.
type Program struct{ Exe, Name string }

// plan returns the experiment's plan, changed by the user's parameters.
func (p Params) plan(own duel.Plan) duel.Plan {
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
	comparer // measures on the temporary file
	// Disk opens the device for raw writes. The caller closes it.
	Disk() (Disk, error)
	// Trees makes a tree to copy, on a file system of that kind if possible. It calls progress with
	// the current step and the completed fraction. The caller closes the Trees.
	Trees(ctx context.Context, kind string, shape tree.Shape, progress func(what string, done float64)) (Trees, error)
	// Slow makes a disk that does iops reads a second, with a file of size bytes. It calls progress
	// with the completed fraction. The caller closes the disk.
	Slow(ctx context.Context, size int64, iops int, progress func(float64)) (SlowDisk, error)
	// Programs builds a program that uses only os.File twice: with go build (load.ByGoBuild), and
	// with sluice build (load.BySluiceBuild) on that driver. The caller calls remove when done.
	Programs(ctx context.Context, driver string) (remove func() error, err error)
	// Starters builds the programs of load.Start. If they cannot be built, the sides of that load
	// are unsupported and have the reason. The caller calls remove when done.
	Starters(ctx context.Context) (remove func() error, err error)
	// Tmpfs makes a file of size bytes on tmpfs. It calls progress with the completed fraction. An
	// error has the reason why there can be no such file. The caller closes the Tmpfs.
	Tmpfs(ctx context.Context, size int64, progress func(float64)) (Tmpfs, error)
	// Database makes a Pebble database with the load, which is a load.PebbleLoad. The processes of
	// its Compare have memory bytes. It calls progress with the current step and the completed
	// fraction. If memory cannot be limited, the error is a database.ErrMissing. The caller closes
	// the Database.
	Database(ctx context.Context, l load.Load, memory int64, driver string, progress func(what string, done float64)) (Database, error)
	// Mixed runs a job of fio, and returns the results of its reads and of its writes.
	Mixed(ctx context.Context, job fio.Mixed) (reads, writes load.Slice, err error)
}

// Env is the environment of an experiment: the parameters, the Lab, and where it prints.
type Env struct {
	Params
	Lab    Lab
	Screen *report.Screen

	interrupted *InterruptedError // set when ctx ends during a step; nil before
}

// compare measures one load through several sides. It is one step.
func (e *Env) compare(ctx context.Context, name string, l load.Load, sides []load.Side, p duel.Plan) ([]*duel.Result, error) {
	return e.compareAll(ctx, name+" "+l.String(), duel.Same(l, sides), p)
}

// compareAll measures the entries as one step, and shows the label.
func (e *Env) compareAll(ctx context.Context, label string, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	return e.compareOn(ctx, e.Lab, label, entries, p)
}

// compareOn is compareAll for a place other than the temporary file.
func (e *Env) compareOn(ctx context.Context, on comparer, label string, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	if err := e.stopped(); err != nil {
		return nil, err
	}
	e.Screen.Step(label)
	defer e.Screen.Done(1)
	results, err := on.Compare(ctx, entries, p)
	return results, e.endStep(ctx, label, rounds(results), p.Rounds, err)
}

// rounds returns the number of rounds. An unsupported side has none.
func rounds(results []*duel.Result) (n int) {
	for _, r := range results {
		n = max(n, len(r.Rounds))
	}
	return n
}
