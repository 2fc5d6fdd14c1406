package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestInterruptWaiting ends commands that wait for standard input, or for the other end of a
// FIFO. One signal is enough, and leaves no file.
func TestInterruptWaiting(t *testing.T) {
	for _, line := range []string{
		"trace summary -",
		"trace view - -o page",
		"trace view fifo",
		"trace export - out.csv",
		"trace export fifo out.csv",
		"bench compare - run.json",
		"bench report - out",
		"bench report fifo out",
		"bench fig6 --size 8m --json fifo",
		"doctor --json fifo",
	} {
		t.Run(line, func(t *testing.T) {
			dir := t.TempDir()
			if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
				skip.For(t, skip.Special, err)
			}
			cmd := exec.Command("sluice", strings.Fields(line)...)
			cmd.Dir = dir
			stdin, err := cmd.StdinPipe() // nothing is written to it
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitUntilAsleep(t, cmd.Process.Pid)
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			ended := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if ended.ExitStatus() != 130 && ended.Signal() != syscall.SIGINT {
				t.Errorf("it ended with %v; want exit status 130, or the signal", cmd.ProcessState)
			}
			left, _ := os.ReadDir(dir)
			if len(left) != 1 {
				t.Errorf("%v are left; want the FIFO alone", left)
			}
		})
	}
}

// waitUntilAsleep waits until a thread of the process stays in an open, or in a read of standard
// input.
func waitUntilAsleep(t *testing.T, pid int) {
	t.Helper()
	open, read := fmt.Sprintf("%d ", unix.SYS_OPENAT), fmt.Sprintf("%d 0x0 ", unix.SYS_READ)
	for times := 0; times < 10 && t.Context().Err() == nil; times++ {
		time.Sleep(time.Millisecond)
		found := false
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
		for _, thread := range threads {
			text, err := os.ReadFile(thread)
			ended := errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH)
			if err != nil && !ended {
				skip.For(t, skip.Proc, err)
			}
			found = found || strings.HasPrefix(string(text), open) || strings.HasPrefix(string(text), read)
		}
		if !found {
			times = 0
		}
	}
}

// TestSignalTwice sends a run the same signal twice at once, as timeout(1) does: to the process
// and to its group. The run ends as with one: it shows the results that it has.
func TestSignalTwice(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("sluice", "bench", "matrix", "--dir", dir, "--file-size", "8m", "--time", "1h", "--cells", "read-cached/4k/2")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), forgivingEnv+"=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "----") { // the rule over the first cell
	}
	waitForWorkers(t, cmd.Process.Pid, 1)
	for range 20 { // one alone may come before the process has seen the one before
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // fails if all have ended
	}
	_, _ = io.Copy(io.Discard, stdout)
	_ = cmd.Wait()
	const says = "sluice: terminated after 0 rounds of matrix read-cached/4k/2\n"
	if status := cmd.ProcessState.ExitCode(); status != 143 || stderr.String() != says {
		t.Errorf("exit status %d and %q; want 143 and %q", status, &stderr, says)
	}
}
