package experiments

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// InterruptedError reports that a run was interrupted during a step. The experiment's result has
// the rounds that were finished before, and they have been printed.
type InterruptedError struct {
	Step     string // what was being measured
	Done, Of int    // rounds finished and planned; Of is 0 if the cell gets as many as it needs
	Err      error  // the cause
}

// Error returns the cause and the number of finished rounds.
func (e *InterruptedError) Error() string {
	if e.Of == 0 {
		return fmt.Sprintf("%v after %d rounds of %s", e.Err, e.Done, e.Step)
	}
	return fmt.Sprintf("%v after %d of %d rounds of %s", e.Err, e.Done, e.Of, e.Step)
}

// Unwrap returns the cause.
func (e *InterruptedError) Unwrap() error { return e.Err }

// Run runs an experiment. If a step was interrupted, Run returns the *InterruptedError even if the
// experiment has results of earlier rounds.
func (e *Env) Run(ctx context.Context, x Experiment) (any, error) {
	result, err := x.Run(ctx, e)
	if stop := e.stopped(); stop != nil && !errors.Is(err, stop) {
		err = errors.Join(stop, err)
	}
	return result, err
}

// stopped returns the *InterruptedError of the interrupted step, or nil. After an interruption the
// experiment starts no further step.
func (e *Env) stopped() error {
	if e.interrupted == nil { // an error with a nil *InterruptedError inside is not nil
		return nil
	}
	return e.interrupted
}

// endStep returns the error of a step that ended with err after done of its rounds. If ctx ended
// the step and a round was finished, endStep returns nil, so that the caller shows those rounds as
// usual. From then on stopped returns the interruption.
func (e *Env) endStep(ctx context.Context, step string, done, of int, err error) error {
	if wasAskedToEnd(err) {
		select {
		case <-ctx.Done():
		case <-time.After(grace):
		}
	}
	if err == nil || ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(err, cause) { // err comes from a killed process
		err = cause
	}
	e.interrupted = &InterruptedError{Step: step, Done: done, Of: of, Err: err}
	if done > 0 {
		return nil
	}
	return e.interrupted
}

// grace is the time in which endStep waits for ctx to end after a signal ended a process.
const grace = time.Second

// wasAskedToEnd reports whether err comes from a process that died of a signal such as Ctrl-C. A
// new process is in this one's process group until it has moved to another. Until then it gets the
// group's signals, and may die before this process has seen the signal.
func wasAskedToEnd(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	switch status.Signal() {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT:
		return true
	}
	return false
}
