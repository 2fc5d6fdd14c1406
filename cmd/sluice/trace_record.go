package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/cmd/sluice/internal/digest"
	"github.com/sluiceio/sluice/cmd/sluice/internal/scratch"
	"github.com/sluiceio/sluice/trace"
)

// traceRecordCmd is `sluice trace record`.
type traceRecordCmd struct {
	Output  string   `short:"o" default:"trace.sluice" placeholder:"FILE" help:"The trace, which must not exist. If several processes have used sluice each has its own, with its number in the name."`
	Events  int      `default:"1032192" help:"Operations and system calls that a process has room for, of 64 bytes each; older ones are lost."`
	Command []string `arg:"" passthrough:"" help:"The program and its arguments, after --."`
}

// Help tells what cannot be seen from the flags.
func (*traceRecordCmd) Help() string {
	return "Programs that use sluice record what they do in memory, and it is written when the last of them has ended, " +
		"however it ends. The exit status is the program's."
}

// statusError is an error whose exit status is another program's.
type statusError struct {
	error
	status int
}

// Run runs the program and writes what it has recorded.
func (c *traceRecordCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	out, err := createNew(c.Output) // now, not when the program has run
	if err != nil {
		return err
	}
	if err := errors.Join(out.Close(), os.Remove(c.Output)); err != nil {
		return err
	}
	dir, err := memoryDir(int64(c.Events))
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ended := c.run(ctx, dir)
	if _, ok := errors.AsType[*exec.Error](ended); ok { // nothing has run
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

// run runs the program until it ends. A signal that has ended ctx is passed on;
// SIGINT is not, as the terminal sends that to both.
func (c *traceRecordCmd) run(ctx context.Context, dir string) error {
	cmd := exec.Command(c.Command[0], c.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(),
		"SLUICE_TRACE="+filepath.Join(dir, "%p"), "SLUICE_TRACE_EVENTS="+strconv.Itoa(c.Events))
	if err := cmd.Start(); err != nil {
		return err
	}
	unwatch := context.AfterFunc(ctx, func() {
		if stop, ok := errors.AsType[*stopError](context.Cause(ctx)); ok && stop.sig != syscall.SIGINT {
			_ = cmd.Process.Signal(stop.sig) // it may have ended
		}
	})
	err := cmd.Wait()
	unwatch()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return statusError{fmt.Errorf("%s: %w", c.Command[0], err), statusOf(exit)}
	}
	return err
}

// statusOf is the status that a shell gives a program that has ended so.
func statusOf(exit *exec.ExitError) int {
	if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return exit.ExitCode()
}

// save writes what the processes have recorded, and a summary of it.
func (c *traceRecordCmd) save(s streams, dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) == 0 {
		return errors.Join(err, errors.New("nothing was recorded: no process has used sluice, or none that records"))
	}
	var errs []error
	for _, name := range names {
		out := c.Output
		if len(names) > 1 {
			ext := filepath.Ext(out)
			out = strings.TrimSuffix(out, ext) + "-" + filepath.Base(name) + ext
		}
		errs = append(errs, saveOne(s, name, out))
	}
	return errors.Join(errs...)
}

func saveOne(s streams, name, out string) error {
	t, err := readTrace(name)
	if err != nil {
		return err
	}
	if err := writeNew(out, compact(t)); err != nil {
		return err
	}
	return told(s, t, out)
}

// told says on stderr, as stdout is the program's, what is in a trace.
func told(s streams, t *trace.Trace, out string) error {
	_, err := fmt.Fprintf(s.err, "\n%s\nwritten to %s\n", digest.Print(t), out)
	return err
}
