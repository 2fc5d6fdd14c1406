//go:build unix

package experiments

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// runShell returns the error of a shell that ran the script.
func runShell(t *testing.T, script string) error {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		skip.For(t, skip.Shell, err)
	}
	return exec.Command(sh, "-c", script).Run()
}

// TestEndStepWaits has a process die of a signal that reaches this process a moment later, by the
// clock of a bubble.
func TestEndStepWaits(t *testing.T) {
	died := runShell(t, "kill -TERM $$")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		terminated := errors.New("terminated")
		time.AfterFunc(grace-1, func() { cancel(terminated) })
		var e Env
		err := e.endStep(ctx, "matrix", 0, 3, died)
		if stop, ok := errors.AsType[*InterruptedError](err); !ok || !errors.Is(err, terminated) || stop.Of != 3 {
			t.Errorf("endStep(%v) = %v; want that the run was terminated", died, err)
		}
	})
}

// TestEndStepFailure checks that the error of a process is returned if the process died of another
// cause.
func TestEndStepFailure(t *testing.T) {
	for _, script := range []string{"exit 1", "kill -KILL $$"} {
		died := runShell(t, script)
		var e Env
		if err := e.endStep(t.Context(), "matrix", 0, 3, died); err != died || e.stopped() != nil {
			t.Errorf("endStep(%v) = %v, %v; want the same error, and no interruption", died, err, e.stopped())
		}
	}
}
