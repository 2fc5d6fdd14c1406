package bench

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/blockdev"
	"github.com/sluiceio/sluice/bench/internal/image"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/scratch"
)

// parse returns the experiments and their parameters. It checks everything that can be checked
// before the measurements.
func (c *Command) parse() ([]experiments.Experiment, experiments.Params, error) {
	p := experiments.Params{
		Brief: len(c.Experiments) == 0, Full: c.Full, Driver: c.Driver, Time: given(c.Time), Rounds: given(c.Rounds), PerCell: given(c.PerCell),
		Size: int64(given(c.Size)), FailBelow: c.FailBelow, Calibrate: c.Calibrate, Fio: c.Fio,
		Procs: runtime.GOMAXPROCS(0), CPUs: runtime.NumCPU(), CellProcs: c.Procs,
		Goroutines: given(c.Goroutines), Modes: c.Mode, Programs: c.Programs, Levels: given(c.Levels), Seed: given(c.Seed),
	}
	if c.Seed == nil {
		p.Seed = rand.Uint64N(seeds)
	}
	chosen, err := c.chosen()
	if err != nil {
		return nil, p, err
	}
	if len(chosen) == 1 {
		p.Began = time.Now()
	}
	if err := c.chooseCells(chosen, &p); err != nil {
		return nil, p, err
	}
	if err := c.checkFailBelow(); err != nil { // first, so that the error is one line
		return nil, p, err
	}
	return chosen, p, c.checkFlags(chosen)
}

// chosen returns the experiments that the arguments name. Without arguments it returns the
// selection, or all with --full.
func (c *Command) chosen() ([]experiments.Experiment, error) {
	if len(c.Experiments) == 0 && c.Full {
		return experiments.All, nil
	}
	if len(c.Experiments) == 0 {
		return experiments.Selection, nil
	}
	var chosen []experiments.Experiment
	for _, name := range c.Experiments {
		found, err := experiments.Find(name)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if slices.ContainsFunc(chosen, func(x experiments.Experiment) bool { return x.Name == e.Name }) {
				return nil, fmt.Errorf("experiment %q is named twice", e.Name)
			}
		}
		chosen = append(chosen, found...)
	}
	return chosen, nil
}

// chooseCells sets p.Cells. Each experiment with cells must have a chosen one.
func (c *Command) chooseCells(chosen []experiments.Experiment, p *experiments.Params) error {
	if len(c.Cells) == 0 {
		return nil
	}
	var all []load.Load
	for _, e := range chosen {
		if e.Cells != nil {
			all = append(all, e.Cells(*p)...)
		}
	}
	if len(all) == 0 {
		return errors.New("--cells is for the matrix, scale and pebble, which are not among the experiments")
	}
	for _, text := range c.Cells {
		pattern, err := experiments.ParsePattern(text, all)
		if err != nil {
			return err
		}
		p.Cells = append(p.Cells, pattern)
	}
	for _, e := range chosen {
		if e.Cells != nil && !slices.ContainsFunc(e.Cells(*p), p.Chooses) {
			return fmt.Errorf("--cells chooses no cell of %s, which is among the experiments", e.Name)
		}
	}
	return nil
}

// minFileSize is the smallest file that suits every experiment.
const minFileSize = 8 << 20 // 8 MiB

// defaultFileSize is the size of the temporary file without --size.
const defaultFileSize = 1 << 30 // 1 GiB

// seeds is the number of possible seeds: few, so that a seed is easily typed.
const seeds = 1e6

// fileSize returns the size of the temporary file, or 0 if no experiment needs one.
func (c *Command) fileSize(chosen []experiments.Experiment, memory int64) int64 {
	switch {
	case !slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return !e.OwnFiles }):
		return 0
	case c.Size != nil:
		return int64(*c.Size)
	case !slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return !e.Raw && !e.OwnFiles }):
		return minFileSize
	case c.Full && memory > 0 && slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.FullSize }):
		return max(defaultFileSize, experiments.FullSize(memory, scratch.Free(c.Dir)))
	}
	return defaultFileSize
}

// given returns the value of a flag, or the zero value if it was not given.
func given[T any](flag *T) (value T) {
	if flag != nil {
		value = *flag
	}
	return value
}

func (c *Command) checkFailBelow() error {
	if !(c.FailBelow >= 0 && c.FailBelow <= math.MaxFloat64) { // also excludes NaN
		return fmt.Errorf("--fail-below: %g; want a ratio, as in 0.95", c.FailBelow)
	}
	return nil
}

func (c *Command) checkFlags(chosen []experiments.Experiment) error {
	if err := c.checkDevice(chosen); err != nil {
		return err
	}
	if err := c.checkDisk(chosen); err != nil {
		return err
	}
	if err := c.checkCopies(chosen); err != nil {
		return err
	}
	if err := c.checkGoroutines(chosen); err != nil {
		return err
	}
	hasMatrix := slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.Name == "matrix" })
	switch {
	case c.Dir == "":
		return cli.ErrEmptyDir
	case c.Report != nil && *c.Report == "":
		return errors.New("--report: the name is empty; want a directory, as in --report out")
	case c.Size != nil && *c.Size < minFileSize:
		return fmt.Errorf("--size: %s is too small; want at least %s", report.Bytes(int64(*c.Size)), report.Bytes(minFileSize))
	case c.Time != nil && (*c.Time <= 0 || *c.Time > time.Hour):
		return fmt.Errorf("--time: %s; want more than 0 and at most 1h", *c.Time)
	case c.PerCell != nil && (*c.PerCell <= 0 || *c.PerCell > 24*time.Hour):
		return fmt.Errorf("--per-cell: %s; want more than 0 and at most 24h", *c.PerCell)
	case c.PerCell != nil && c.Rounds != nil:
		return errors.New("--per-cell: --rounds gives each cell a number of rounds; want one of the two")
	case c.PerCell != nil && !slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.Precise }):
		return errors.New("--per-cell is for the matrix, scale, wal and transparent, which are not among the experiments")
	case c.Rounds != nil && *c.Rounds <= 0:
		return fmt.Errorf("--rounds: %d; want more than 0", *c.Rounds)
	case c.FailBelow > 0 && c.Rounds != nil && *c.Rounds < experiments.RoundsForVerdict:
		return fmt.Errorf("--rounds: %d; with --fail-below want at least %d, as fewer cannot tell a difference from chance", *c.Rounds, experiments.RoundsForVerdict)
	case !hasMatrix && c.FailBelow > 0:
		return errors.New("--fail-below is for the matrix, which is not among the experiments")
	case !hasMatrix && len(c.Procs) > 0:
		return errors.New("--procs is for the matrix, which is not among the experiments")
	case slices.ContainsFunc(c.Procs, func(n int) bool { return n < 1 || n > mostProcs }):
		return fmt.Errorf("--procs: %s; want numbers from 1 to %d, as in 1,2,4,8", numbers(c.Procs), mostProcs)
	case !hasMatrix && c.Calibrate:
		return errors.New("--calibrate is for the matrix, which is not among the experiments")
	case c.Fio && !slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.Fio }):
		return errors.New("--fio is for scan-* and rand-*, which are not among the experiments")
	case !slices.Contains([]string{"", "uring", "aio", "pool"}, c.Driver):
		return fmt.Errorf("--driver: unknown driver %q; there are uring, aio and pool", c.Driver)
	}
	return nil
}

// mostProcs is the limit of --procs.
const mostProcs = 1024

// numbers returns the numbers separated by commas.
func numbers(v []int) string {
	text := make([]string, len(v))
	for i, n := range v {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}

// checkGoroutines checks the flag of the experiments with a slow disk.
func (c *Command) checkGoroutines(chosen []experiments.Experiment) error {
	switch {
	case c.Goroutines == nil:
		return nil
	case !slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.Slow }):
		return errors.New("--goroutines is for threads and transparent, which are not among the experiments")
	case *c.Goroutines < 1 || *c.Goroutines > experiments.MostGoroutines:
		return fmt.Errorf("--goroutines: %d; want 1 to %d", *c.Goroutines, experiments.MostGoroutines)
	}
	return nil
}

// checkDisk checks that --dir is on a disk if a named experiment measures one.
func (c *Command) checkDisk(chosen []experiments.Experiment) error {
	i := slices.IndexFunc(chosen, func(e experiments.Experiment) bool { return e.Disk })
	if i < 0 || len(c.Experiments) == 0 || c.Dir == "" {
		return nil
	}
	m := machine.Describe(c.Dir)
	if !m.InMemory() {
		return nil
	}
	return fmt.Errorf("--dir %s: it is on %s, which is memory, and %s measures a disk; want a directory on the disk, as in --dir /mnt/data",
		c.Dir, m.FileSystem, chosen[i].Name)
}

// mostLevels is the limit of --levels. With it cp-small has a tree of 2.4 million files.
const mostLevels = 9

// checkCopies checks the flags of cp-*.
func (c *Command) checkCopies(chosen []experiments.Experiment) error {
	var modes []string
	for _, e := range chosen {
		modes = append(modes, e.Modes...)
	}
	for _, mode := range c.Mode {
		if !slices.Contains(modes, mode) {
			return fmt.Errorf("--mode %s: no experiment that was chosen has it", mode)
		}
	}
	for _, name := range c.Programs {
		if !slices.Contains(experiments.CopyPrograms, name) {
			return fmt.Errorf("--programs: unknown program %q; there are %s", name, strings.Join(experiments.CopyPrograms, ", "))
		}
	}
	given := len(c.Programs) > 0 || c.Levels != nil || c.Seed != nil || !c.Image || c.FS != ""
	switch {
	case given && len(modes) == 0:
		return errors.New("--programs, --levels, --seed, --image and --fs are for cp-*, which are not among the experiments")
	case c.Levels != nil && (*c.Levels < 1 || *c.Levels > mostLevels):
		return fmt.Errorf("--levels: %d; want 1 to %d", *c.Levels, mostLevels)
	case c.FS != "" && !slices.Contains(image.Kinds, c.FS):
		return fmt.Errorf("--fs: unknown file system %q; there are %s", c.FS, strings.Join(image.Kinds, ", "))
	case c.FS != "" && !c.Image:
		return errors.New("--fs: what file system an image has, and --no-image asks for none")
	}
	return nil
}

// checkDevice checks the flags of aio-latency, and that the device is not in use.
func (c *Command) checkDevice(chosen []experiments.Experiment) error {
	raw := slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.Raw })
	switch {
	case c.Device == nil && c.Overwrite:
		return errors.New("--i-know-this-overwrites: there is no --device")
	case c.Device == nil:
		return nil
	case *c.Device == "":
		return errors.New("--device: the name is empty; want a block device, as in --device sdb")
	case !raw:
		return errors.New("--device is for " + experiments.AIOLatency + ", which is not among the experiments")
	case !c.Overwrite:
		return fmt.Errorf("--device %s: what it holds would be overwritten; --i-know-this-overwrites allows it", *c.Device)
	}
	if err := blockdev.Check(*c.Device, experiments.RawWrites); err != nil {
		return fmt.Errorf("--device: %w", err)
	}
	return nil
}
