package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/sluiceio/sluice/cmd/sluice/experiments"
	"github.com/sluiceio/sluice/cmd/sluice/internal/duel"
	"github.com/sluiceio/sluice/cmd/sluice/internal/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/scratch"
)

// benchCmd is `sluice bench`.
type benchCmd struct {
	Run  benchRunCmd  `cmd:"" default:"withargs" help:"Run experiments, by default a selection that takes under two minutes."`
	List benchListCmd `cmd:"" help:"List the experiments."`
}

// benchListCmd is `sluice bench list`.
type benchListCmd struct{}

// Run prints a line an experiment.
func (benchListCmd) Run(s streams) error {
	for _, e := range experiments.All {
		if _, err := fmt.Fprintf(s.out, "%-12s %s\n", e.Name, e.Summary); err != nil {
			return err
		}
	}
	return nil
}

// benchRunCmd is `sluice bench [EXPERIMENT...]`.
type benchRunCmd struct {
	Experiments []string `arg:"" optional:"" name:"experiment" help:"What to run; see sluice bench list."`

	Dir      string   `default:"." help:"Where to put the temporary file: the file system that is measured."`
	FileSize byteSize `default:"1g" placeholder:"SIZE" help:"Size of the temporary file (default 1g)."`
	JSON     string   `name:"json" placeholder:"FILE" help:"Also write the results to FILE for machines."`

	Driver    string        `placeholder:"NAME" help:"Driver of sluice: uring, aio or pool (default: its own choice)."`
	Full      bool          `help:"All parameters: the 126 cells of the matrix, every size and number of goroutines."`
	Cells     []string      `sep:"none" placeholder:"PATTERN" help:"Cells of the matrix as kind/size/goroutines, as in 'read-*/4k/1,64'; may be repeated."`
	Time      time.Duration `placeholder:"DURATION" help:"Length of a slice (default: the experiment's, 100ms to 200ms)."`
	Rounds    int           `placeholder:"N" help:"Slices of each side (default: the experiment's, 3 to 5)."`
	Calibrate bool          `help:"In the matrix, compare os.File with itself: what this machine's noise looks like."`
	FailBelow float64       `placeholder:"R" help:"Fail, naming the cells, if sluice has less than R times the operations a second of os.File in a cell of the matrix."`
}

// Run measures.
func (b *benchRunCmd) Run(ctx context.Context, s streams) error {
	chosen, params, err := b.parse()
	if err != nil {
		return usageError{err}
	}
	arena, err := newArena()
	if err != nil {
		return err
	}
	screen := newScreen(s)
	defer screen.Clear()
	screen.Expect(1)
	for _, e := range chosen {
		screen.Expect(e.Steps(params))
	}
	arena.Path, err = scratch.Create(ctx, b.Dir, int64(b.FileSize), func(done float64) {
		screen.Step("writing the test file " + report.Percent(done))
	})
	if err != nil {
		return err
	}
	screen.Done(1)
	env := &experiments.Env{Params: params, Lab: arena, Screen: screen}
	return errors.Join(b.measure(ctx, env, chosen), os.Remove(arena.Path))
}

// measure runs the experiments one after another and stops at the first
// error. What has been measured by then is in the JSON file all the same.
func (b *benchRunCmd) measure(ctx context.Context, env *experiments.Env, chosen []experiments.Experiment) error {
	results := make(map[string]any)
	var failed error
	for _, e := range chosen {
		result, err := e.Run(ctx, env)
		results[e.Name] = result
		if err != nil {
			failed = err
			break
		}
	}
	if b.JSON == "" {
		return failed
	}
	return errors.Join(failed, writeJSON(b.JSON, newBenchReport(b, results)))
}

// parse checks everything that can be checked before anything is done.
func (b *benchRunCmd) parse() ([]experiments.Experiment, experiments.Params, error) {
	p := experiments.Params{
		Brief: len(b.Experiments) == 0, Full: b.Full, Driver: b.Driver, Time: b.Time, Rounds: b.Rounds,
		FailBelow: b.FailBelow, Calibrate: b.Calibrate,
	}
	chosen, err := b.chosen()
	if err != nil {
		return nil, p, err
	}
	for _, text := range b.Cells {
		pattern, err := experiments.ParsePattern(text)
		if err != nil {
			return nil, p, err
		}
		p.Cells = append(p.Cells, pattern)
	}
	return chosen, p, b.checkFlags(chosen)
}

// chosen returns the experiments that the arguments name, all if there are
// none.
func (b *benchRunCmd) chosen() ([]experiments.Experiment, error) {
	if len(b.Experiments) == 0 {
		return experiments.All, nil
	}
	var chosen []experiments.Experiment
	for _, name := range b.Experiments {
		e, err := experiments.Find(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, e)
	}
	return chosen, nil
}

func (b *benchRunCmd) checkFlags(chosen []experiments.Experiment) error {
	hasMatrix := false
	for _, e := range chosen {
		hasMatrix = hasMatrix || e.Name == "matrix"
	}
	switch {
	case b.FileSize < minFileSize:
		return fmt.Errorf("--file-size: %s is too small; want at least %s", report.Bytes(int64(b.FileSize)), report.Bytes(minFileSize))
	case b.Time < 0 || b.Time > time.Hour:
		return fmt.Errorf("--time: %s; want more than 0 and at most 1h", b.Time)
	case b.Rounds < 0:
		return fmt.Errorf("--rounds: %d; want more than 0", b.Rounds)
	case b.FailBelow < 0:
		return fmt.Errorf("--fail-below: %g; want a ratio, as in 0.95", b.FailBelow)
	case !hasMatrix && b.FailBelow > 0:
		return errors.New("--fail-below is for the matrix, which is not among the experiments")
	case !hasMatrix && len(b.Cells) > 0:
		return errors.New("--cells is for the matrix, which is not among the experiments")
	case b.Driver != "" && !strings.Contains(" uring aio pool ", " "+b.Driver+" "):
		return fmt.Errorf("--driver: unknown driver %q; there are uring, aio and pool", b.Driver)
	}
	return nil
}

// newArena returns an arena, without its file, whose workers are this very
// program.
func newArena() (*duel.Arena, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program to start it again: %w", err)
	}
	return &duel.Arena{Exe: exe, Argv: []string{os.Args[0], "worker"}}, nil
}

// newScreen returns a screen with progress if stderr is a terminal.
func newScreen(s streams) *report.Screen {
	f, ok := s.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return report.NewScreen(s.out, nil, 0)
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return report.NewScreen(s.out, io.Writer(f), width)
}
