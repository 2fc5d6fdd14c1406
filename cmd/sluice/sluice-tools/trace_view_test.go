package main

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/trace"
)

// small returns the file of a trace of two operations.
func small(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	_, err := (&trace.Trace{
		Meta:  trace.Meta{Program: "prog"},
		Files: []string{"", "/data/a"},
		Ops: []trace.Op{
			{Queued: 10, Submitted: 20, Completed: 400, Woken: 500, Size: 4096, Result: 4096, File: 1, Kind: trace.KindRead, Path: trace.PathQueued},
			{Queued: 15, Submitted: 15, Completed: 900, Woken: 900, Slot: 1, Kind: trace.KindFsync, Path: trace.PathPlain},
		},
	}).WriteTo(&b)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTraceView runs testdata/view. Each script has a trace, good, and copies of it with the
// end cut off and with a byte changed.
func TestTraceView(t *testing.T) {
	good := small(t)
	damaged := bytes.Clone(good)
	damaged[len(damaged)/2] ^= 1
	runScripts(t, testscript.Params{
		Dir:  "view",
		Cmds: commands,
		Condition: func(cond string) (bool, error) {
			return cond == "root" && os.Geteuid() == 0, nil
		},
		Setup: func(e *testscript.Env) error {
			for name, data := range map[string][]byte{"good": good, "cut": good[:len(good)-9], "damaged": damaged} {
				if err := os.WriteFile(filepath.Join(e.WorkDir, name), data, 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// TestTraceViewServe serves a page, requests it, and interrupts the command, which must
// succeed.
func TestTraceViewServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		skip.For(t, skip.Platform, "no process can be interrupted there")
	}
	file := filepath.Join(t.TempDir(), "small")
	if err := os.WriteFile(file, small(t), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sluice", "trace", "view", "--serve", file)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url, _, _ := strings.Cut(line, " ")
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%s is %s, %v", url, answer.Status, answer.Header)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("an interrupt ends it with %v; want nil", err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("%d files are there, %v; want the trace alone", len(left), err)
	}
}
