package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/internal/test/skip"
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

// interruptedIn reports whether bench says that it was interrupted amid the rounds of
// an experiment.
func interruptedIn(experiment, said string) bool {
	var done, of int
	n, _ := fmt.Sscanf(said, "sluice: interrupted after %d of %d rounds of "+experiment, &done, &of)
	return n == 2 && strings.Count(said, "\n") == 1
}

// TestInterruptRestores ends aio-latency by Ctrl-C while the loop device that it
// has made has another I/O scheduler than it had.
func TestInterruptRestores(t *testing.T) {
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "loop devices take root")
	}
	before := loopSchedulers()
	dir := t.TempDir()
	b := startBench(t, "aio-latency", "--dir", dir, "--rounds", "20")
	device := untilSecondScheduler(b.stdout)
	_, status := b.stop(os.Interrupt)
	if device == "" {
		skip.For(t, skip.Config, "no loop device, or none with several schedulers")
	}
	if said := b.stderr.String(); status != 130 || !interruptedIn("aio-latency", said) {
		t.Errorf("run ended with status %d, %q; want exit status 130, interrupted", status, said)
	}
	if got := loopSchedulers()[device]; before[device] != "" && got != before[device] {
		t.Errorf("scheduler of %s is %q; want %q, as before", device, got, before[device])
	}
	text, _ := os.ReadFile("/sys/block/" + device + "/loop/backing_file")
	if strings.Contains(string(text), dir) {
		t.Errorf("%s is still over %s", device, text)
	}
	wantEmpty(t, dir)
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

// TestInterruptUnmounts ends cp-small by Ctrl-C while a program copies in the
// image that it has made.
func TestInterruptUnmounts(t *testing.T) {
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "images take root")
	}
	dir := t.TempDir()
	b := startBench(t, "cp-small", "--dir", dir, "--levels", "3", "--rounds", "1000", "--mode", "regular", "--programs", "sluice")
	image := true
	// Until what precedes the rounds is said
	for lines := bufio.NewScanner(b.stdout); lines.Scan() && lines.Text() != ""; {
		image = image && !strings.Contains(lines.Text(), "no image")
	}
	if image {
		waitForMount(t, dir)
	}
	waitForWorkers(t, b.cmd.Process.Pid, 1)
	_, status := b.stop(os.Interrupt)
	if said := b.stderr.String(); status != 130 || !interruptedIn("cp-small regular", said) {
		t.Errorf("run ended with status %d, %q; want exit status 130, interrupted", status, said)
	}
	wantEmpty(t, dir)
	if mounts, _ := os.ReadFile("/proc/self/mounts"); strings.Contains(string(mounts), dir) {
		t.Errorf("the image is still mounted in %s", dir)
	}
	backing, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, path := range backing {
		if text, _ := os.ReadFile(path); strings.Contains(string(text), dir) {
			t.Errorf("a loop device is still over %s", text)
		}
	}
}

// waitForMount waits until something is mounted in dir.
func waitForMount(t *testing.T, dir string) {
	t.Helper()
	for t.Context().Err() == nil {
		if mounts, _ := os.ReadFile("/proc/self/mounts"); strings.Contains(string(mounts), dir) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestInterruptTmpfs ends scale by Ctrl-C while it measures a file on tmpfs: neither that file nor
// the one on the disk is left, and no process.
func TestInterruptTmpfs(t *testing.T) {
	dir := t.TempDir()
	if !machine.Describe("/dev/shm").InMemory() || machine.Describe(dir).InMemory() {
		skip.For(t, skip.Tmpfs, "it takes a tmpfs in /dev/shm, and a disk")
	}
	before, _ := filepath.Glob("/dev/shm/.sluice-bench*")
	b := startBench(t, "scale", "--dir", dir, "--size", "8m", "--time", "1h", "--per-cell", "1h", "--cells", "read-tmpfs//256")
	lines := bufio.NewScanner(b.stdout)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "----") { // the rule over the first cell
	}
	workers := waitForWorkers(t, b.cmd.Process.Pid, 1)
	_, status := b.stop(os.Interrupt)
	if said := b.stderr.String(); strings.Contains(said, "nothing could be measured") {
		skip.For(t, skip.Kernel, said) // before Linux 6.6 tmpfs has no O_DIRECT
	} else if status != 130 || said != "sluice: interrupted after 0 rounds of scale read-tmpfs/4k/256\n" {
		t.Errorf("run ended with status %d, %q; want exit status 130, interrupted", status, said)
	}
	wantEmpty(t, dir)
	if after, _ := filepath.Glob("/dev/shm/.sluice-bench*"); len(after) > len(before) {
		t.Errorf("files are left on tmpfs: %q", after)
	}
	for _, pid := range workers {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("worker %d is still there: %v", pid, err)
		}
	}
}
