package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// catch sends the signals to c, as signal.Notify does, but those that were ignored
// when this program started stay ignored: nohup and the shell's background jobs ask
// for that, and Notify would take it back. The Go runtime remembers that of SIGHUP and
// SIGINT alone.
func catch(c chan<- os.Signal, signals ...os.Signal) {
	for _, sig := range signals {
		if !signal.Ignored(sig) {
			signal.Notify(c, sig)
		}
	}
}

// surviveBrokenPipe turns a write to a pipe that nobody reads (sluice bench | head)
// into an error like others: there may be a file to remove. The signal is caught and
// not ignored, as programs that this one starts would inherit that.
func surviveBrokenPipe() { catch(make(chan os.Signal, 1), syscall.SIGPIPE) }

// stopError is the cause of a context that a signal has ended.
type stopError struct{ sig syscall.Signal }

// Signal returns which one it was.
func (e *stopError) Signal() syscall.Signal { return e.sig }

func (e *stopError) Error() string {
	if e.sig == syscall.SIGINT {
		return "interrupted"
	}
	return e.sig.String()
}

// notifyContext returns a context that ends with the first SIGINT, SIGTERM,
// SIGHUP or SIGQUIT; the second one has its default effect, in case cleaning up hangs. A signal
// that was ignored when the program started stays ignored.
func notifyContext() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	catch(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() { // ends with ctx
		select {
		case sig := <-signals:
			signal.Stop(signals)
			cancel(&stopError{sig.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
