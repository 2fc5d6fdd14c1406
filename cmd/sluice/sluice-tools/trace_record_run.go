package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/cmd/sluice/internal/signals"
)

// statusError is an error with the exit status of another program.
type statusError struct {
	error
	status int
}

// startError is the error of a program that could not be started.
type startError struct{ error }

// run runs the program until it ends. The program records into files in dir.
func (c *traceRecordCmd) run(dir string) error {
	cmd := exec.Command(c.Command[0], c.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(),
		"SLUICE_TRACE="+filepath.Join(dir, "%p"), "SLUICE_TRACE_EVENTS="+strconv.Itoa(c.Events))
	return runForwarding(cmd)
}

// runForwarding runs a program until it ends, and forwards signals to it. A signal that the
// program survives does not end this process either.
func runForwarding(cmd *exec.Cmd) error {
	came := make(chan os.Signal, 8)
	signals.Catch(came, signals.Endings...)
	defer signal.Stop(came)
	if err := cmd.Start(); err != nil {
		return startError{err}
	}
	var forwarding sync.WaitGroup
	forwarding.Go(func() { forward(came, cmd.Process) })
	err := cmd.Wait()
	signal.Stop(came)
	close(came) // nothing is sent after Stop
	forwarding.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return statusError{fmt.Errorf("%s: %w", cmd.Args[0], err), statusOf(exit)}
	}
	return err
}

// forward sends signals to the program, except those that the terminal has sent to it too.
func forward(came <-chan os.Signal, to *os.Process) {
	for sig := range came {
		if !fromTerminal(sig) {
			_ = to.Signal(sig) // an error means that the program has ended
		}
	}
}

// statusOf returns the exit status as a shell reports it: 128 plus the number of the signal
// that killed the program.
func statusOf(exit *exec.ExitError) int {
	if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return exit.ExitCode()
}
