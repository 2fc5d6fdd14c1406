//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestIgnoredSignals starts programs as nohup does, with SIGHUP ignored. The signal must end
// neither a bench, nor the program of trace record.
func TestIgnoredSignals(t *testing.T) {
	dir := t.TempDir()
	for name, command := range map[string]string{
		"bench": "exec sluice bench matrix --dir " + dir + " --file-size 8m --time 1h --cells read-cached/4k/2",
		// The shell survives the SIGHUP that it sends itself, because it is ignored.
		"record": "exec sluice trace record -o " + filepath.Join(dir, "none") + " -- sh -c 'kill -HUP $$; echo ----; read line'",
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", "trap '' HUP; "+command)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines, ready := bufio.NewScanner(stdout), false
			for !ready && lines.Scan() {
				ready = strings.HasPrefix(lines.Text(), "----")
			}
			if !ready {
				t.Errorf("it ended before it was ready: %s", &stderr)
			}
			// Only the first is ignored
			for _, sig := range []os.Signal{syscall.SIGHUP, os.Interrupt} {
				if err := cmd.Process.Signal(sig); err != nil {
					t.Error(err)
				}
			}
			_ = stdin.Close()
			_, _ = io.Copy(io.Discard, stdout)
			_ = cmd.Wait() // the status is checked below
			if got := cmd.ProcessState.ExitCode(); got == 128+int(syscall.SIGHUP) || got < 0 {
				t.Errorf("SIGHUP ended it: %v, %s", cmd.ProcessState, &stderr)
			}
		})
	}
}

// TestBrokenPipeOfTheProgram runs a program with trace record, and closes the pipe that it
// writes to. SIGPIPE must end it as without trace record.
func TestBrokenPipeOfTheProgram(t *testing.T) {
	cmd := exec.Command("sluice", "trace", "record", "-o", filepath.Join(t.TempDir(), "none"), "--", "sh", "-c",
		`(kill -PIPE $(sh -c 'echo $PPID'); echo alive) | cat`)
	out, _ := cmd.Output()
	if strings.Contains(string(out), "alive") {
		t.Error("the program ignores SIGPIPE; want it as the program's own")
	}
}
