package experiments

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// InterruptedError reports that a run was interrupted during a step. The rounds that were
// finished before are in the experiment's result, and have been printed.
type InterruptedError struct {
	Step     string // what was being measured
	Done, Of int    // rounds finished, and rounds planned; 0 if it gets as many as it needs
	Err      error  // the cause
}

// Error returns the cause, and how many rounds were finished.
func (e *InterruptedError) Error() string {
	if e.Of == 0 {
		return fmt.Sprintf("%v after %d rounds of %s", e.Err, e.Done, e.Step)
	}
	return fmt.Sprintf("%v after %d of %d rounds of %s", e.Err, e.Done, e.Of, e.Step)
}

// Unwrap returns the cause.
func (e *InterruptedError) Unwrap() error { return e.Err }

// Run runs an experiment. If a step was interrupted, Run returns the *InterruptedError even where
// the experiment has results of earlier rounds.
func (e *Env) Run(ctx context.Context, x Experiment) (any, error) {
	result, err := x.Run(ctx, e)
	if stop := e.stopped(); stop != nil && !errors.Is(err, stop) {
		err = errors.Join(stop, err)
	}
	return result, err
}

// stopped returns the *InterruptedError of the step that was interrupted, nil if none was. An
// experiment starts no further step after it.
func (e *Env) stopped() error {
	if e.interrupted == nil { // an error that holds a nil *InterruptedError would not be nil
		return nil
	}
	return e.interrupted
}

// endStep returns the error of a step that ended with err after done of its rounds. If ctx was
// the reason and at least one round was finished, it returns nil, so that the caller shows those
// rounds as usual; stopped returns the interruption from then on.
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
	if cause := context.Cause(ctx); !errors.Is(err, cause) { // err is that of a process that was killed
		err = cause
	}
	e.interrupted = &InterruptedError{Step: step, Done: done, Of: of, Err: err}
	if done > 0 {
		return nil
	}
	return e.interrupted
}

// grace is how long endStep waits for a signal that has ended a process to end ctx as well.
const grace = time.Second

// wasAskedToEnd reports whether err is that of a process that died of a signal that asks to end.
// Between its start and the moment when it has a process group of its own, a process gets what is
// sent to the group of this one, and may be dead before this one has seen the signal.
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
