package cli

import "context"

// Await calls f and returns its result. If ctx ends first, Await returns the context's cause at
// once, and the goroutine that it has started stays in f until the process ends. It is for calls
// that no context can end: to open a FIFO, to read standard input, to write to a pipe.
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
