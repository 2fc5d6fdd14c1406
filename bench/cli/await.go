package cli

import "context"

// Await calls f and returns its result. If ctx ends first, Await returns the context's cause at
// once, and leaves its goroutine in f until the process ends. It is for calls that no context can
// end: opening a FIFO, reading standard input, writing to a pipe.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
