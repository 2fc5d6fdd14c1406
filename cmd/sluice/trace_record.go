package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/cmd/sluice/internal/scratch"
	"github.com/sluiceio/sluice/cmd/sluice/internal/viewer"
	"github.com/sluiceio/sluice/trace"
)

// traceRecordCmd is `sluice trace record`.
type traceRecordCmd struct {
	Output  string   `short:"o" default:"trace.sluice" placeholder:"FILE" help:"The trace, which must not exist; default: trace.sluice. If several processes have used sluice each has its own, with its number in the name."`
	Events  int      `default:"1032192" help:"Operations and system calls that a process has room for, at least, of 64 bytes each; older ones are lost."`
	NoView  bool     `help:"Make no page of the trace."`
	Command []string `arg:"" passthrough:"" help:"The program and its arguments, after --."`
}

// Help tells what cannot be seen from the flags.
func (*traceRecordCmd) Help() string {
	return "Programs that use sluice record what they do in memory, and it is written when the last of them has ended, " +
		"however it ends. Its page, FILE.html, is written beside it, and opened in the browser from a terminal " +
		"with a display. The exit status is the program's."
}

// Run runs the program and writes what it has recorded.
func (c *traceRecordCmd) Run(s streams) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	if err := c.checkPlaces(); err != nil {
		return err
	}
	dir, err := memoryDir(int64(c.Events))
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ended := c.run(dir)
	if _, ok := errors.AsType[startError](ended); ok {
		return fmt.Errorf("cannot run %s: %w", c.Command[0], ended)
	}
	saved := c.save(s, dir)
	if ended != nil && saved != nil {
		return fmt.Errorf("%w; %w", ended, saved) // one line
	}
	return errors.Join(ended, saved)
}

func (c *traceRecordCmd) check() error {
	if c.Command[0] == "--" {
		c.Command = c.Command[1:]
	}
	switch {
	case len(c.Command) == 0:
		return errors.New("there is no program to run")
	case c.Output == "":
		return errors.New("the name of the trace is empty")
	case c.Events < 1 || c.Events > trace.MaxEvents:
		return fmt.Errorf("--events %d is not between 1 and %d", c.Events, trace.MaxEvents)
	}
	return nil
}

// checkPlaces sees to it now, and not when the program has run, that the trace
// and its page can be written.
func (c *traceRecordCmd) checkPlaces() error {
	out, err := createNew(c.Output)
	if err != nil {
		return err
	}
	if err := errors.Join(out.Close(), os.Remove(c.Output)); err != nil {
		return err
	}
	if c.NoView {
		return nil
	}
	if err := viewer.Check(pageOf(c.Output)); err != nil {
		return fmt.Errorf("cannot write the page: %w; --no-view writes none", err)
	}
	return nil
}

// memoryDir makes a directory for what is recorded, in memory if there is
// enough to be had for a few processes: on a disk the kernel would write it
// while it is recorded.
func memoryDir(events int64) (string, error) {
	const shm = "/dev/shm"
	if free, err := scratch.FreeSpace(shm); err == nil && free > 4*128*events {
		if dir, err := os.MkdirTemp(shm, "sluice-trace-"); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", "sluice-trace-")
}
