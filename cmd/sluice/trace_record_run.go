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
)

// statusError is an error whose exit status is another program's.
type statusError struct {
	error
	status int
}

// startError is the error of a program that has not run at all.
type startError struct{ error }

// run runs the program, recording in dir, until it ends.
func (c *traceRecordCmd) run(dir string) error {
	cmd := exec.Command(c.Command[0], c.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(),
		"SLUICE_TRACE="+filepath.Join(dir, "%p"), "SLUICE_TRACE_EVENTS="+strconv.Itoa(c.Events))
	return attend(cmd)
}

// attend runs a program until it ends. All signals are the program's meanwhile:
// one that it survives is none of ours.
func attend(cmd *exec.Cmd) error {
	signals := make(chan os.Signal, 8)
	catch(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return startError{err}
	}
	var passing sync.WaitGroup
	passing.Go(func() { pass(signals, cmd.Process) })
	err := cmd.Wait()
	signal.Stop(signals)
	close(signals) // nothing is sent after Stop
	passing.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return statusError{fmt.Errorf("%s: %w", cmd.Args[0], err), statusOf(exit)}
	}
	return err
}

// pass passes signals on, but for those that the program has had already.
func pass(signals <-chan os.Signal, to *os.Process) {
	for sig := range signals {
		if !fromTerminal(sig) {
			_ = to.Signal(sig) // it may have ended
		}
	}
}

// statusOf is the status that a shell gives a program that has ended so.
func statusOf(exit *exec.ExitError) int {
	if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return exit.ExitCode()
}
