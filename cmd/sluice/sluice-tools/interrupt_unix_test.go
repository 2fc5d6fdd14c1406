//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestInterrupt ends a run by a signal while its workers are in slices of an
// hour: it goes at once, and leaves neither file nor process.
func TestInterrupt(t *testing.T) {
	for _, test := range []struct {
		signal syscall.Signal
		says   string
	}{
		{syscall.SIGINT, "sluice: interrupted after 0 rounds of matrix read-cached/4k/2\n"},
		{syscall.SIGQUIT, "sluice: quit after 0 rounds of matrix read-cached/4k/2\n"},
		{syscall.SIGTERM, "sluice: terminated after 0 rounds of matrix read-cached/4k/2\n"},
	} {
		t.Run(test.signal.String(), func(t *testing.T) { testInterrupt(t, test.signal, test.says) })
	}
}

func testInterrupt(t *testing.T, sig syscall.Signal, says string) {
	dir := t.TempDir()
	b := startBench(t, "matrix", "--dir", dir, "--file-size", "8m", "--time", "1h", "--cells", "read-cached/4k/2")
	lines := bufio.NewScanner(b.stdout)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "----") { // the rule over the first cell
	}
	workers := waitForWorkers(t, b.cmd.Process.Pid, 1)
	_, status := b.stop(sig)
	if status != 128+int(sig) {
		t.Errorf("run ended with %v; want exit status %d", b.cmd.ProcessState, 128+int(sig))
	}
	if b.stderr.String() != says {
		t.Errorf("stderr is %q; want %q", &b.stderr, says)
	}
	wantEmpty(t, dir)
	for _, pid := range workers {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("worker %d is still there: %v", pid, err)
		}
	}
}

// benchRun is a process of `sluice bench`.
type benchRun struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout io.Reader
	stderr strings.Builder // complete after stop
}

func startBench(t *testing.T, args ...string) *benchRun {
	t.Helper()
	b := &benchRun{t: t, cmd: exec.Command("sluice", append([]string{"bench"}, args...)...)}
	b.cmd.Stderr = &b.stderr
	var err error
	if b.stdout, err = b.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return b
}

// stop sends the process a signal and waits for its end. It returns what the process prints
// from then on, and its exit status, -1 if the signal killed it.
func (b *benchRun) stop(sig os.Signal) (text string, status int) {
	b.t.Helper()
	if err := b.cmd.Process.Signal(sig); err != nil {
		b.t.Fatal(err)
	}
	rest, _ := io.ReadAll(b.stdout)
	_ = b.cmd.Wait() // its error is the exit status, which is returned
	return string(rest), b.cmd.ProcessState.ExitCode()
}

// wantEmpty fails the test if dir has files.
func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}
