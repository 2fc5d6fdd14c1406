// Package signals catches the signals that ask a program to end, for sluice and sluice-tools.
package signals

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Endings are the signals that ask a program to end.
var Endings = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// Catch sends the signals to c, as signal.Notify does, except those that were ignored when
// this program started. nohup and the shell's background jobs ignore signals on purpose,
// and Notify would undo that. The Go runtime knows this only of SIGHUP and SIGINT.
func Catch(c chan<- os.Signal, signals ...os.Signal) {
	for _, sig := range signals {
		if !signal.Ignored(sig) {
			signal.Notify(c, sig)
		}
	}
}

// SurviveBrokenPipe makes a write to a pipe without a reader (sluice bench | head) return
// an error instead of killing this process, which may have a temporary file to remove. The
// signal is caught, not ignored: children would inherit that it is ignored.
func SurviveBrokenPipe() { Catch(make(chan os.Signal, 1), syscall.SIGPIPE) }

// StopError is the cause of a context that a signal has ended.
type StopError struct{ sig syscall.Signal }

// Signal returns the signal.
func (e *StopError) Signal() syscall.Signal { return e.sig }

func (e *StopError) Error() string {
	if e.sig == syscall.SIGINT {
		return "interrupted"
	}
	return e.sig.String()
}

// Grace is the time from the first signal after which a further one has its default effect.
// timeout(1) sends its signal twice at once: to the process and to its group. A terminal that
// goes away sends SIGHUP, and so does the shell. Tests may change it before there are signals.
var Grace = time.Second

// NotifyContext returns a context that ends with the first SIGINT, SIGTERM, SIGHUP or
// SIGQUIT, or when the returned function is called. A signal that comes after the grace has its
// default effect, in case the cleanup hangs. A signal that was ignored when the program started
// stays ignored.
//
// The function leaves the signals caught: the process ends next, and for each signal that it
// gave back two threads would wait for each other.
func NotifyContext() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	Catch(signals, Endings...)
	go func() { // ends with ctx, or a grace later
		select {
		case sig := <-signals:
			cancel(&StopError{sig.(syscall.Signal)})
			time.Sleep(Grace) // the process may end meanwhile
			signal.Stop(signals)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
