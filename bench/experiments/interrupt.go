package experiments

import (
	"context"
	"errors"
	"fmt"
)

// InterruptedError is what a run comes to that was ended amid the rounds of a step.
// Those that were finished are in its result, and have been shown.
type InterruptedError struct {
	Step     string // what was being measured
	Done, Of int    // rounds
	Err      error  // why it ended
}

// Error says how far it got.
func (e *InterruptedError) Error() string {
	return fmt.Sprintf("%v after %d of %d rounds of %s", e.Err, e.Done, e.Of, e.Step)
}

// Unwrap returns the cause.
func (e *InterruptedError) Unwrap() error { return e.Err }

// Run runs an experiment. That it was interrupted is an error also where there are
// rounds to show.
func (e *Env) Run(ctx context.Context, x Experiment) (any, error) {
	result, err := x.Run(ctx, e)
	if stop := e.stopped(); stop != nil && !errors.Is(err, stop) {
		err = errors.Join(stop, err)
	}
	return result, err
}

// stopped returns the *InterruptedError of a step that was interrupted, after which
// an experiment begins none.
func (e *Env) stopped() error {
	if e.interrupted == nil { // an interface that holds it would not be nil
		return nil
	}
	return e.interrupted
}

// finished says what becomes of a step that ended with err when so many of its rounds
// were finished. If that is so because ctx has ended, and there are any, it is nil:
// the caller shows them as it shows all others, and stopped has the rest.
func (e *Env) finished(ctx context.Context, step string, done, of int, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(err, cause) { // what a process says that was killed
		err = cause
	}
	e.interrupted = &InterruptedError{Step: step, Done: done, Of: of, Err: err}
	if done > 0 {
		return nil
	}
	return e.interrupted
}
