// Package bench is the command that compares sluice with os.File. It runs experiments on a
// temporary file, prints and draws their results, and compares runs.
//
// It is a part of a kong command line. [Children] must be at the top of the same command line,
// because each side of a comparison is a new process of this program:
//
//	var grammar struct {
//		Bench bench.Command `cmd:""`
//		bench.Children
//	}
//
// Kong must bind a context.Context, whose end stops the run, and a cli.Streams.
//
// Below it: experiments (the measurements and verdicts), pictures (figures and the page of a
// report), compare (two runs), results (the file of --json). In internal are the loads, the
// processes that perform them, and the programs and devices that they need.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sluiceio/sluice/bench/bytesize"
	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/scratch"
)

// Command is `sluice bench [EXPERIMENT...]` and `sluice bench list`.
type Command struct {
	// Sluice is the file of the program whose cp is measured; "" if it is this program.
	Sluice string `kong:"-"`

	Experiments []string `arg:"" optional:"" name:"experiment" help:"What to run: names that 'sluice bench list' prints."`

	Dir    string         `default:"." help:"Directory of the temporary file, on the disk to measure."`
	Size   *bytesize.Size `aliases:"file-size" placeholder:"SIZE" help:"Size of the temporary file, or of pebble's database. Default: 1g; for scan-* and rand-* with --full 2.5 times the memory, at most 20g."`
	JSON   string         `name:"json" placeholder:"FILE" help:"Also write the results to FILE. With - they go to standard output, and the tables to standard error."`
	Report *string        `placeholder:"DIR" help:"Also write a report to DIR: index.html, and each figure as SVG, CSV and JSON."`

	Full   bool           `help:"Measure everything: all cells of the matrix, and some with GOMAXPROCS 1, 2, 4 and 8 (up to 52 minutes); every number of goroutines; sizes and times as published."`
	Fio    bool           `help:"Also run fio for each scan-* and rand-*. As root, this reserves huge pages for fio while it runs."`
	Driver string         `placeholder:"NAME" help:"sluice's driver: uring, aio or pool. Default: the one that sluice chooses."`
	Time   *time.Duration `placeholder:"DURATION" help:"How long each side runs in a round. Default: 30ms to 250ms, by experiment."`
	Rounds *int           `placeholder:"N" help:"How many rounds to run. Default: 3 to 20, by experiment; for matrix, scale, wal and transparent as many as --per-cell has time for."`

	PerCell *time.Duration `placeholder:"DURATION" help:"The most time for a cell of matrix, scale, wal or transparent. It ends earlier if its 95 % interval is within ±3 %. Default: 8s; 4.5s if no experiment is named; for scale a part of eight minutes."`

	Mode     []string `placeholder:"NAME" group:"Flags of cp-*" help:"Measure only these: regular, cold, every-fsync. May be repeated."`
	Programs []string `placeholder:"NAME" group:"Flags of cp-*" help:"Compare only these with cp: sluice, xcp, fcp, cpz, otiai10, rsync, floor. May be repeated."`
	Levels   *int     `placeholder:"N" group:"Flags of cp-*" help:"Depth of the tree: each directory has five below it. Default: 7 for cp-small and cp-reflink, 4 for the others; one less without --full."`
	Seed     *uint64  `placeholder:"N" group:"Flags of cp-*" help:"Seed of the order in which the programs copy. Default: a new one each time."`
	Image    bool     `default:"true" negatable:"" group:"Flags of cp-*" help:"As root, copy on a new file system, made in a file in --dir."`
	FS       string   `name:"fs" placeholder:"NAME" group:"Flags of cp-*" help:"Type of the new file system: ext4, xfs or btrfs. Default: ext4."`

	Goroutines *int `placeholder:"N" group:"Flags of threads and transparent" help:"Goroutines on the slow disk. Default: 12,000; threads also measures 1,000."`

	Device    *string `placeholder:"NAME" group:"Flags of aio-latency" help:"Write to this block device, such as sdb, instead of a loop device. Needs the next flag."`
	Overwrite bool    `name:"i-know-this-overwrites" group:"Flags of aio-latency" help:"Confirm that the device may lose the data at its beginning."`

	Cells   []string `sep:"none" placeholder:"PATTERN" group:"Flags of the matrix, scale and pebble" help:"Measure only these cells: kind/size/goroutines, as in 'read-*/4k/1,64', write-sync or pebble-get//64. May be repeated."`
	Procs   []int    `placeholder:"N" group:"Flags of the matrix" help:"Measure each cell with each of these values of GOMAXPROCS, as in 1,2,4,8. The output marks values above the number of processors."`
	Compare bool     `help:"The same as 'bench compare A.json B.json'. One file may be -, standard input."`

	FailBelow float64 `placeholder:"R" group:"Flags of the matrix" help:"Name each cell whose whole 95 % interval is below R, and exit with 1. The ratio is sluice to os.File; with compare, the second file to the first."`
	Calibrate bool    `group:"Flags of the matrix" help:"Compare os.File with itself, to see the noise of this machine."`
}

// Help is the text that `sluice help bench` adds to the flags.
func (Command) Help() string {
	return `If no experiment is named, a part of the matrix runs in about two minutes. os.File and
sluice run in turn, each round in new processes. The verdict follows from the
95 % interval of the ratio: docs/bench.md in github.com/sluiceio/sluice.

  sluice bench                                   a part of the matrix, here
  sluice bench list                              the experiments
  sluice bench matrix --full --dir /mnt/data     all cells, on another disk
  sluice bench matrix --cells read-direct/4k     one row of the matrix
  sluice bench matrix --cells 'read-*+work'      reads, then computation
  sluice bench matrix --cells '*+busy'           beside computation
  sluice bench matrix --cells serve --procs 1,4  with GOMAXPROCS 1, and 4
  sluice bench matrix --fail-below 0.95          for continuous integration
  sluice bench scale --json scale.json           a report of this machine
  sluice bench p4 --fio                          scan-* and rand-*, with fio
  sluice bench matrix fig6 --report out          pictures: out/index.html
  sluice bench report A.json out                 pictures of an earlier run
  sluice bench compare A.json B.json             what changed between two runs
  sluice bench aio-latency                       as root: on a loop device
  sluice bench p2                                copies of trees
  sluice bench transparent                       as root: sluice build
  sluice bench pebble                            as root: Pebble's files
  sluice bench cp-small --mode cold --fs xfs     one mode, on xfs

Kinds of the matrix: read-cached, read-cold, read-direct, write-buffered,
write-direct, write-sync; read-cold+work and read-direct+work (+2us, +6us,
+50us: computation after each read); read-buffer (read-direct by ReadBuffer, in
sluice's memory); write-direct+hot (over cached blocks); read-cold+busy,
read-direct+busy, write-direct+busy and write-sync+busy (beside two goroutines a
processor that compute); sync-own and write-logs (a file for each goroutine:
WriteAt, or append, and Sync); serve (io.Copy of a file to a TCP connection);
start (a program that opens and reads a file: its time, and its memory; needs a
Go toolchain).

Kinds of scale: read-direct, read-cold, read-cached, write-buffered, sync-own,
and read-tmpfs (O_DIRECT on tmpfs, a device that never waits), by 1, 2 and 4
times GOMAXPROCS goroutines, and by 64 and 256. It ends within ten minutes.

Exit status: 0; 1 if the run failed, or a cell was below --fail-below; 2 if the
command line is wrong; 130 if interrupted: the finished rounds are printed. In
each case the files are removed, and I/O schedulers are restored.`
}

// Run runs the command.
func (c *Command) Run(ctx context.Context, s cli.Streams, line *kong.Context) error {
	if c.verb() != "" {
		return c.runVerb(ctx, s, flagsOf(line))
	}
	chosen, params, err := c.parse()
	if err != nil {
		return cli.UsageError{Err: err}
	}
	if note := duel.UntracedNote(); note != "" {
		fmt.Fprintln(s.Err, "sluice: note:", note)
	}
	out, s, err := c.openOutputs(ctx, s)
	if err != nil {
		return err
	}
	m := machine.Describe(c.Dir)
	params.Kept = c.JSON != ""
	params.Memory, params.FileSize = m.Memory, c.fileSize(chosen, m.Memory)
	measured, err := c.run(ctx, s, chosen, params, m)
	if len(measured) == 0 {
		return errors.Join(err, out.abandon())
	}
	return errors.Join(err, out.write(newResults(m, params, measured)))
}

// listExperiments prints one line for each experiment.
func listExperiments(s cli.Streams) error {
	var b strings.Builder
	indent := strings.Repeat(" ", 20)
	line := func(name, summary string) { b.WriteString(report.Hang(fmt.Sprintf("%-20s", name), indent, summary)) }
	for _, e := range experiments.All {
		line(e.Name, e.Summary)
	}
	for _, g := range experiments.Groups {
		line(g.Name, g.Summary)
	}
	_, err := io.WriteString(s.Out, b.String())
	return err
}

// run makes the temporary file, measures, and removes it.
func (c *Command) run(ctx context.Context, s cli.Streams, chosen []experiments.Experiment, params experiments.Params, m machine.Info) (measured map[string]any, err error) {
	arena, err := newArena()
	if err != nil {
		return nil, err
	}
	params.Self, params.Command = experiments.Program{Exe: arena.Exe, Name: os.Args[0]}, c.Sluice
	arena.device, arena.trees = given(c.Device), copies.Spec{Dir: c.Dir, NoImage: !c.Image, Kind: c.FS}
	screen := cli.NewScreen(s)
	defer screen.Clear()
	// After Ctrl-C, results wait until the file is removed.
	screen.Hold(func() bool { return ctx.Err() != nil })
	defer func() { err = errors.Join(err, screen.Release()) }()
	screen.Expect(1)
	for _, e := range chosen {
		screen.Expect(e.Steps(params))
	}
	env := &experiments.Env{Params: params, Lab: arena, Screen: screen}
	if params.FileSize == 0 { // no experiment needs the file
		return measure(ctx, env, chosen, m)
	}
	file, err := scratch.Create(ctx, c.Dir, params.FileSize, func(done float64) {
		screen.Step("writing the test file " + report.Percent(done))
	})
	switch {
	case errors.Is(err, scratch.ErrSpace):
		return nil, fmt.Errorf("%w (a smaller --size needs less)", err)
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		return nil, fmt.Errorf("%w (--dir chooses another directory)", err)
	case err != nil:
		return nil, err
	}
	screen.Done(1)
	arena.Path, arena.Logs = file.Path(), filepath.Join(c.Dir, ".sluice-bench")
	measured, err = measure(ctx, env, chosen, m)
	return measured, errors.Join(err, file.Close())
}

// measure runs the experiments one after another, and stops at the first error. With an error, too,
// it returns the results until then.
func measure(ctx context.Context, env *experiments.Env, chosen []experiments.Experiment, m machine.Info) (map[string]any, error) {
	results := make(map[string]any)
	if err := env.Screen.Print(report.Wrap(m.String()) + "\n"); err != nil {
		return results, err
	}
	for _, e := range chosen {
		result, err := env.Run(ctx, e)
		results[e.Name] = result
		if err != nil {
			return results, err
		}
	}
	return results, errors.Join(env.Screen.Print(experiments.Summary(results)), experiments.NothingMeasured(results))
}
