package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/bytesize"
	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/scratch"
	"github.com/sluiceio/sluice/cmd/sluice/internal/depths"
	"github.com/sluiceio/sluice/internal/tune"
)

// tuneCmd is `sluice tune`.
type tuneCmd struct {
	Dir  string        `arg:"" name:"path" default:"." help:"Directory on the device (default: here)."`
	Time time.Duration `default:"300ms" help:"How long each depth is measured."`
	Size bytesize.Size `default:"1GiB" help:"Size of the temporary file; larger than the device's own cache."`
	Save bool          `default:"true" negatable:"" help:"Save the result, for classes of operations."`
}

// Help returns the text below the list of flags.
func (tuneCmd) Help() string {
	return `Measures how many operations must be in flight to keep a device busy. This is the
cap under which a program's classes of operations take turns (sluice.Class). It
takes about ten seconds on a device that is otherwise idle. It writes a temporary
file into the directory, and removes it.

The result is saved for all programs of this user that use sluice, in
sluice/tune/DEVICE.json in $XDG_CONFIG_HOME or ~/.config, or in the file
SLUICE_TUNE. Without a result, programs use a default. SLUICE_TUNE=off ignores
saved results.`
}

// leastTune is the smallest file that can be measured.
const leastTune = 16 << 20 // 16 MiB

func (t *tuneCmd) check() error {
	switch {
	case t.Dir == "":
		return errors.New("the name of the directory is empty")
	case t.Time <= 0 || t.Time > time.Minute:
		return fmt.Errorf("--time: %s; want more than 0 and at most 1m", t.Time)
	case t.Size < leastTune:
		return fmt.Errorf("--size: %s is too small; want at least %s", report.Bytes(int64(t.Size)), report.Bytes(leastTune))
	}
	return nil
}

// Run measures the device, prints the curves, and saves the result.
func (t *tuneCmd) Run(ctx context.Context, s cli.Streams) error {
	if err := t.check(); err != nil {
		return cli.UsageError{Err: err}
	}
	if err := t.checkSave(); err != nil {
		return err
	}
	screen := cli.NewScreen(s)
	defer screen.Clear()
	screen.Expect(1 + depths.Steps)
	file, err := scratch.Create(ctx, t.Dir, int64(t.Size), func(done float64) {
		screen.Step("writing the test file " + report.Percent(done))
	})
	if err != nil {
		return err
	}
	screen.Done(1)
	err = t.measure(ctx, screen, file.Path())
	return errors.Join(err, file.Close())
}

// checkSave returns an error if the result could not be saved: a user must not wait for it first.
func (t *tuneCmd) checkSave() error {
	if info, err := os.Stat(t.Dir); err != nil || !info.IsDir() || !t.Save {
		return nil // the test file cannot be made; to open a FIFO would wait for a writer
	}
	device, err := deviceOf(t.Dir)
	if err != nil { // the result is printed, and why it is not saved
		return nil
	}
	if err := tune.CheckSave(device); err != nil {
		return fmt.Errorf("the result could not be saved, so nothing is measured (--no-save only prints it): %w", err)
	}
	return nil
}

func (t *tuneCmd) measure(ctx context.Context, screen *report.Screen, name string) error {
	device, unknown := deviceOf(name)
	begun := false
	small, large, err := depths.Device(ctx, name, t.Time, func(size, depth int) {
		if begun {
			screen.Done(1)
		}
		begun = true
		screen.Step(fmt.Sprintf("%s, %d at once", report.Bytes(int64(size)), depth))
	})
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	found := depths.Result(small, large, time.Now())
	var b strings.Builder
	b.WriteString(small.Text() + large.Text())
	b.WriteString(report.Wrap(fmt.Sprintf("cap: %d operations and %s at once; %s of a class beside a heavier one",
		found.Depth, report.Bytes(found.Bytes), report.Bytes(found.Beside))))
	switch {
	case !t.Save:
	case unknown != nil:
		b.WriteString(report.Wrap(fmt.Sprintf("not saved: %v", unknown)))
	default:
		path, err := tune.Save(device, found)
		if err != nil {
			return errors.Join(screen.Print(b.String()), fmt.Errorf("not saved: %w", err))
		}
		b.WriteString(report.Wrap("saved for " + device.Name + ": " + path))
	}
	return screen.Print(b.String())
}

// deviceOf returns the device that the file is on.
func deviceOf(name string) (tune.Device, error) {
	f, err := os.Open(name)
	if err != nil {
		return tune.Device{}, err
	}
	defer f.Close()
	return tune.DeviceOf(f)
}
