package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// waitForWorkers waits until the process has n children and returns their
// ids.
func waitForWorkers(t *testing.T, pid, n int) []int {
	t.Helper()
	for t.Context().Err() == nil {
		if pids := children(pid); len(pids) >= n {
			return pids
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// children returns the processes that any thread of pid has started.
func children(pid int) []int {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	var pids []int
	for _, task := range tasks {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for field := range strings.FieldsSeq(string(text)) {
			if n, err := strconv.Atoi(field); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// TestInterruptRestores ends aio-latency by Ctrl-C while the loop device that it
// has made has another I/O scheduler than it had.
func TestInterruptRestores(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loop devices take root")
	}
	before := loopSchedulers()
	dir := t.TempDir()
	cmd := exec.Command("sluice", "bench", "aio-latency", "--dir", dir, "--rounds", "20")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	device := untilSecondScheduler(stdout)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stdout)
	err = cmd.Wait()
	if device == "" {
		t.Skip("no loop device, or none with several schedulers")
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 130 || stderr.String() != "sluice: interrupted\n" {
		t.Errorf("run ended with %v, %q; want exit status 130, interrupted", err, &stderr)
	}
	if got := loopSchedulers()[device]; before[device] != "" && got != before[device] {
		t.Errorf("scheduler of %s is %q; want %q, as before", device, got, before[device])
	}
	text, _ := os.ReadFile("/sys/block/" + device + "/loop/backing_file")
	if strings.Contains(string(text), dir) {
		t.Errorf("%s is still over %s", device, text)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// untilSecondScheduler reads until the first scheduler has been measured, and
// returns the name of the loop device; "" if there is none.
func untilSecondScheduler(stdout io.Reader) (device string) {
	rows := -1 // before the rule over the table
	for lines := bufio.NewScanner(stdout); rows < 2 && lines.Scan(); {
		_, rest, _ := strings.Cut(lines.Text(), "on /dev/")
		if name, _, ok := strings.Cut(rest, ","); ok {
			device = name
		}
		if rows >= 0 || strings.HasPrefix(lines.Text(), "----") {
			rows++
		}
	}
	return device
}

// loopSchedulers returns what every loop device has.
func loopSchedulers() map[string]string {
	all := map[string]string{}
	found, _ := filepath.Glob("/sys/block/loop*/queue/scheduler")
	for _, path := range found {
		text, _ := os.ReadFile(path)
		all[strings.Split(path, "/")[3]] = string(text)
	}
	return all
}
