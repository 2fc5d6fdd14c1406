package bench

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/blockdev"
	"github.com/sluiceio/sluice/bench/internal/image"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/scratch"
)

// parse returns the experiments and their parameters. It checks all that can be checked before
// anything is measured.
func (b *Command) parse() ([]experiments.Experiment, experiments.Params, error) {
	p := experiments.Params{
		Brief: len(b.Experiments) == 0, Full: b.Full, Driver: b.Driver, Time: given(b.Time), Rounds: given(b.Rounds),
		FailBelow: b.FailBelow, Calibrate: b.Calibrate, Fio: b.Fio,
		Procs:      runtime.GOMAXPROCS(0),
		Goroutines: given(b.Goroutines), Modes: b.Mode, Programs: b.Programs, Levels: given(b.Levels), Seed: given(b.Seed),
	}
	if b.Seed == nil {
		p.Seed = rand.Uint64N(seeds)
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
	if err := b.checkFailBelow(); err != nil { // before the other flags, so that the error is one line
		return nil, p, err
	}
	return chosen, p, b.checkFlags(chosen)
}

// chosen returns the experiments that the arguments name, a selection if there
// are none; all of them with --full.
func (b *Command) chosen() ([]experiments.Experiment, error) {
	if len(b.Experiments) == 0 && b.Full {
		return experiments.All, nil
	}
	if len(b.Experiments) == 0 {
		return experiments.Selection, nil
	}
	var chosen []experiments.Experiment
	for _, name := range b.Experiments {
		found, err := experiments.Find(name)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if slices.ContainsFunc(chosen, func(c experiments.Experiment) bool { return c.Name == e.Name }) {
				return nil, fmt.Errorf("experiment %q is named twice", e.Name)
			}
		}
		chosen = append(chosen, found...)
	}
	return chosen, nil
}

// minFileSize is the smallest file that every experiment works on.
const minFileSize = 8 << 20 // 8 MiB

// defaultFileSize is the size of the temporary file without --size.
const defaultFileSize = 1 << 30 // 1 GiB

// seeds is the number of seeds that are drawn: few, so that a seed is easily typed.
const seeds = 1e6

// fileSize returns the size of the temporary file, 0 if no experiment needs one.
func (b *Command) fileSize(chosen []experiments.Experiment, memory int64) int64 {
	switch {
	case b.Size != nil:
		return int64(*b.Size)
	case !slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return !e.OwnFiles }):
		return 0
	case !slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return !e.Raw && !e.OwnFiles }):
		return minFileSize
	case b.Full && memory > 0 && slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.FullSize }):
		return max(defaultFileSize, experiments.FullSize(memory, scratch.Free(b.Dir)))
	}
	return defaultFileSize
}

// given returns the value of a flag, the zero value if it was not given.
func given[T any](flag *T) (value T) {
	if flag != nil {
		value = *flag
	}
	return value
}

func (b *Command) checkFailBelow() error {
	if b.FailBelow < 0 || math.IsNaN(b.FailBelow) {
		return fmt.Errorf("--fail-below: %g; want a ratio, as in 0.95", b.FailBelow)
	}
	return nil
}

func (b *Command) checkFlags(chosen []experiments.Experiment) error {
	if err := b.checkDevice(chosen); err != nil {
		return err
	}
	if err := b.checkCopies(chosen); err != nil {
		return err
	}
	if err := b.checkGoroutines(chosen); err != nil {
		return err
	}
	hasMatrix := slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.Name == "matrix" })
	switch {
	case b.Dir == "":
		return cli.ErrEmptyDir
	case b.Report != nil && *b.Report == "":
		return errors.New("--report: the name is empty; want a directory, as in --report out")
	case b.Size != nil && *b.Size < minFileSize:
		return fmt.Errorf("--size: %s is too small; want at least %s", report.Bytes(int64(*b.Size)), report.Bytes(minFileSize))
	case b.Time != nil && (*b.Time <= 0 || *b.Time > time.Hour):
		return fmt.Errorf("--time: %s; want more than 0 and at most 1h", *b.Time)
	case b.Rounds != nil && *b.Rounds <= 0:
		return fmt.Errorf("--rounds: %d; want more than 0", *b.Rounds)
	case b.FailBelow > 0 && b.Rounds != nil && *b.Rounds < experiments.RoundsForVerdict:
		return fmt.Errorf("--rounds: %d; with --fail-below want at least %d, as fewer cannot tell a difference from chance", *b.Rounds, experiments.RoundsForVerdict)
	case !hasMatrix && b.FailBelow > 0:
		return errors.New("--fail-below is for the matrix, which is not among the experiments")
	case !hasMatrix && len(b.Cells) > 0:
		return errors.New("--cells is for the matrix, which is not among the experiments")
	case !hasMatrix && b.Calibrate:
		return errors.New("--calibrate is for the matrix, which is not among the experiments")
	case b.Fio && !slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.Fio }):
		return errors.New("--fio is for scan-* and rand-*, which are not among the experiments")
	case !slices.Contains([]string{"", "uring", "aio", "pool"}, b.Driver):
		return fmt.Errorf("--driver: unknown driver %q; there are uring, aio and pool", b.Driver)
	}
	return nil
}

// checkGoroutines checks the flag of the experiments that have a slow disk.
func (b *Command) checkGoroutines(chosen []experiments.Experiment) error {
	switch {
	case b.Goroutines == nil:
		return nil
	case !slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.Slow }):
		return errors.New("--goroutines is for threads and transparent, which are not among the experiments")
	case *b.Goroutines < 1 || *b.Goroutines > experiments.MostGoroutines:
		return fmt.Errorf("--goroutines: %d; want 1 to %d", *b.Goroutines, experiments.MostGoroutines)
	}
	return nil
}

// mostLevels is the limit of --levels: of cp-small that is a tree of 2.4 million files.
const mostLevels = 9

// checkCopies checks the flags of cp-*.
func (b *Command) checkCopies(chosen []experiments.Experiment) error {
	var modes []string
	for _, e := range chosen {
		modes = append(modes, e.Modes...)
	}
	for _, mode := range b.Mode {
		if !slices.Contains(modes, mode) {
			return fmt.Errorf("--mode %s: no experiment that was chosen has it", mode)
		}
	}
	for _, name := range b.Programs {
		if !slices.Contains(experiments.CopyPrograms, name) {
			return fmt.Errorf("--programs: unknown program %q; there are %s", name, strings.Join(experiments.CopyPrograms, ", "))
		}
	}
	given := len(b.Programs) > 0 || b.Levels != nil || b.Seed != nil || !b.Image || b.FS != ""
	switch {
	case given && len(modes) == 0:
		return errors.New("--programs, --levels, --seed, --image and --fs are for cp-*, which are not among the experiments")
	case b.Levels != nil && (*b.Levels < 1 || *b.Levels > mostLevels):
		return fmt.Errorf("--levels: %d; want 1 to %d", *b.Levels, mostLevels)
	case b.FS != "" && !slices.Contains(image.Kinds, b.FS):
		return fmt.Errorf("--fs: unknown file system %q; there are %s", b.FS, strings.Join(image.Kinds, ", "))
	case b.FS != "" && !b.Image:
		return errors.New("--fs: what file system an image has, and --no-image asks for none")
	}
	return nil
}

// checkDevice checks the flags of aio-latency, and that the device is not in use.
func (b *Command) checkDevice(chosen []experiments.Experiment) error {
	raw := slices.ContainsFunc(chosen, func(e experiments.Experiment) bool { return e.Raw })
	switch {
	case b.Device == nil && b.Overwrite:
		return errors.New("--i-know-this-overwrites: there is no --device")
	case b.Device == nil:
		return nil
	case *b.Device == "":
		return errors.New("--device: the name is empty; want a block device, as in --device sdb")
	case !raw:
		return errors.New("--device is for " + experiments.AIOLatency + ", which is not among the experiments")
	case !b.Overwrite:
		return fmt.Errorf("--device %s: what it holds would be overwritten; --i-know-this-overwrites allows it", *b.Device)
	}
	if err := blockdev.Check(*b.Device, experiments.RawWrites); err != nil {
		return fmt.Errorf("--device: %w", err)
	}
	return nil
}
