package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/bench/scratch"
	"github.com/sluiceio/sluice/cmd/sluice/internal/signals"
	"github.com/sluiceio/sluice/cmd/sluice/internal/viewer"
	"github.com/sluiceio/sluice/internal/record"
)

// traceRecordCmd is `sluice trace record`.
type traceRecordCmd struct {
	Output  string   `short:"o" default:"trace.sluice" placeholder:"FILE" help:"The trace, which must not exist; default: trace.sluice. If several processes have used sluice, each has its own trace, with its process number in the name."`
	Events  int      `default:"1032192" help:"The least number of operations and system calls that are kept for a process, of 64 bytes each; older ones are lost."`
	NoView  bool     `help:"Make no page of the trace."`
	Command []string `arg:"" optional:"" passthrough:"partial" help:"The program and its arguments, after --."`
}

// Help returns the text below the list of flags.
func (*traceRecordCmd) Help() string {
	return "Programs that use sluice record their I/O in memory. The trace is written when the program has ended, even if it was killed. " +
		"On Linux, sluice also waits for processes that the program has left running and that record by then; Ctrl-C ends that wait, " +
		"and what they record after it is lost. On a full disk the recording stays in memory, and a message says where. The trace's page, FILE.html, is written beside it. " +
		"On a terminal with a display the browser opens it. The exit status is the program's."
}

// Run runs the program, and writes the trace that it has recorded.
func (c *traceRecordCmd) Run(s cli.Streams) error {
	if err := c.check(); err != nil {
		return cli.UsageError{Err: err}
	}
	if err := c.checkPlaces(); err != nil {
		return err
	}
	dir, err := memoryDir(int64(c.Events))
	if err != nil {
		return err
	}
	// A signal between the program's end and the next context only ends await
	held := make(chan os.Signal, 8)
	signals.Catch(held, signals.Endings...)
	ended := c.run(dir)
	discard(held) // the program has got these
	await(s, dir, held)
	ctx, stop := signals.NotifyContext()
	defer stop()
	signal.Stop(held)
	if _, ok := errors.AsType[startError](ended); ok {
		return errors.Join(fmt.Errorf("cannot run %s: %w", c.Command[0], ended), os.Remove(dir))
	}
	recorded, err := recordings(dir)
	switch {
	case err != nil:
		return errors.Join(ended, fmt.Errorf("cannot read the recordings: %w", err))
	case len(recorded) == 0:
		err = statusError{fmt.Errorf(`nothing was recorded: %s does not use sluice (build it with "sluice build", or import the package), or could not record: see its messages`, c.Command[0]), 0}
	default:
		err = c.save(ctx, s, recorded)
	}
	if _, unsaved := errors.AsType[unsavedError](err); !unsaved {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return errors.Join(ended, err)
}

// discard receives what the channel has.
func discard(came <-chan os.Signal) {
	for len(came) > 0 {
		<-came
	}
}

func (c *traceRecordCmd) check() error {
	if len(c.Command) > 0 && c.Command[0] == "--" {
		c.Command = c.Command[1:]
	}
	switch {
	case len(c.Command) == 0:
		return errors.New("trace record: the program is missing; want one after --, as in sluice trace record -- ./prog")
	case c.Output == cli.Stdio:
		return errors.New("--output: standard output is the program's; want the name of a file")
	case c.Events < 1 || c.Events > record.MaxEvents:
		return fmt.Errorf("--events %d is not between 1 and %d", c.Events, record.MaxEvents)
	}
	return nil
}

// checkPlaces checks, before the program runs, that the trace and its page can be written.
func (c *traceRecordCmd) checkPlaces() error {
	out, err := createNew(c.Output)
	if err != nil {
		return err
	}
	if err := errors.Join(out.Close(), os.Remove(c.Output)); err != nil {
		return err
	}
	if err := checkRoom(filepath.Dir(c.Output), "the trace"); err != nil {
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

// memoryDir makes a directory for the recordings. It is in memory if there is enough for a
// few processes: to a disk, the kernel would write during the recording.
func memoryDir(events int64) (string, error) {
	const shm = "/dev/shm"
	inMemory, err := scratch.FreeSpace(shm)
	if err == nil && inMemory > 4*128*events {
		if dir, err := os.MkdirTemp(shm, recordingDir); err == nil {
			return dir, nil
		}
	}
	if err := checkRoom(os.TempDir(), "the recording"); err != nil {
		return "", fmt.Errorf("%w (set TMPDIR to another directory)", err)
	}
	return os.MkdirTemp("", recordingDir)
}

// recordingDir begins the name of the directory.
const recordingDir = "sluice-trace-"

// leastRoom is the room that the trace and the recording of one process need in a short
// run. How much a run will need is not known, but with less than this it does not begin.
const leastRoom = 2 << 20 // 2 MiB

// checkRoom refuses a directory on a full disk.
func checkRoom(dir, what string) error {
	free, err := scratch.FreeSpace(dir)
	if err != nil || free >= leastRoom { // if the room is unknown, the write reports the error
		return nil
	}
	return fmt.Errorf("%w for %s in %s: %s free, at least %s needed", scratch.ErrSpace, what, dir, report.Bytes(free), report.Bytes(leastRoom))
}
