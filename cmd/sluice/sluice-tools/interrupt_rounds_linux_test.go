package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/results"
)

// TestInterruptKeepsRounds ends a matrix of a million rounds by Ctrl-C: those that
// were finished are in its table, and in the file of --json.
func TestInterruptKeepsRounds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "out.json")
	b := startBench(t, endless(dir, "--json", file)...)
	waitForRounds(t, b.cmd.Process.Pid)
	text, status := b.stop(os.Interrupt)
	var done int
	said := b.stderr.String()
	if _, err := fmt.Sscanf(said, "sluice: interrupted after %d of 1000000 rounds of matrix read-cached/4k/2\n", &done); err != nil || status != 130 || done < 1 {
		t.Errorf("run ended with status %d, %q; want exit status 130, and how many rounds there were", status, said)
	}
	if _, rows, _ := strings.Cut(text, "\n---"); !strings.Contains(rows, "\nread-cached/4k/2 ") {
		t.Errorf("the table has no row:\n%s", text)
	}
	run, err := results.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range run.Results[0].Points() {
		if len(p.Rounds) != done {
			t.Errorf("%s has %d rounds in the file; want %d", p.Side.Name, len(p.Rounds), done)
		}
	}
	wantEmpty(t, dir)
}

// TestKillLeavesNothing kills a bench: the temporary file goes with it.
func TestKillLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	b := startBench(t, endless(dir)...)
	waitForRounds(t, b.cmd.Process.Pid)
	if !hasOpen(t, b.cmd.Process.Pid, dir) {
		t.Error("the temporary file is not in the directory")
	}
	b.stop(os.Kill)
	wantEmpty(t, dir)
}

// hasOpen reports whether the process has a file open of that directory, with a name or
// without.
func hasOpen(t *testing.T, pid int, dir string) bool {
	t.Helper()
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(fds, func(fd string) bool {
		name, _ := os.Readlink(fd)
		return strings.HasPrefix(name, dir)
	})
}

// TestInterruptTwice has nobody read what the first Ctrl-C leads to. It has removed
// the temporary file already; one of the next ends the process.
func TestInterruptTwice(t *testing.T) {
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("sluice", append([]string{"bench"}, endless(dir)...)...)
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	waitForRounds(t, cmd.Process.Pid)
	fd := int(w.Fd())                                   // each call makes it blocking
	for err = unix.SetNonblock(fd, true); err == nil; { // until there is no room left
		_, err = unix.Write(fd, []byte{'\n'})
	}
	if err := errors.Join(unix.SetNonblock(fd, false), cmd.Process.Signal(os.Interrupt)); err != nil {
		t.Fatal(err)
	}
	for hasOpen(t, cmd.Process.Pid, dir) && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	ended := make(chan struct{})
	go func() { // ends with the process
		_ = cmd.Wait()
		close(ended)
	}()
	for done := false; !done; {
		select {
		case <-ended:
			done = true
		case <-time.After(50 * time.Millisecond):
			_ = cmd.Process.Signal(os.Interrupt) // fails if it has just ended
		}
	}
	if state := cmd.ProcessState.Sys().(syscall.WaitStatus); state.Signal() != syscall.SIGINT {
		t.Errorf("a later one ends it with %v; want the signal", cmd.ProcessState)
	}
}

// endless are the arguments of a bench that has short rounds, and no end.
func endless(dir string, more ...string) []string {
	return append([]string{"matrix", "--dir", dir, "--file-size", "8m", "--time", "1ms", "--rounds", "1000000", "--cells", "read-cached/4k/2"}, more...)
}

// waitForRounds waits until a bench has had so many workers that a round which counts is behind it:
// two that prepare, two that warm up, and two a round.
func waitForRounds(t *testing.T, pid int) {
	t.Helper()
	seen := map[int]bool{}
	for len(seen) < 8 && t.Context().Err() == nil {
		for _, worker := range children(pid) {
			seen[worker] = true
		}
		time.Sleep(100 * time.Microsecond)
	}
}
