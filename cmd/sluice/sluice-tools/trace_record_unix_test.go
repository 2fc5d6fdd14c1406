//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// reading is a shell command that reads for a millisecond, by one process that uses sluice.
const reading = `head -c 1048576 /dev/zero >blocks
sluice worker >/dev/null <<.
{"setup": {"path": "blocks", "side": {"name": "sluice", "way": "sluice"}, "load": {"kind": "read-cached", "size": 4096, "goroutines": 1}}}
{"slice": {"time": 1000000, "seed": 1}}
.`

// TestRecordInterrupt interrupts only `sluice trace record`, as kill does, twice. The
// program must get both signals and end in its own way, and the trace and its page must be
// written.
func TestRecordInterrupt(t *testing.T) {
	dir := t.TempDir()
	const program = reading + `
trap 'trap "exit 9" INT; echo 1' INT
echo 0
while :; do sleep 0.01; done`
	cmd := exec.Command("sluice", "trace", "record", "--events", "1000", "--", "sh", "-c", program)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // each when the program is ready for it
		if _, err := io.ReadFull(stdout, make([]byte, len("0\n"))); err != nil {
			t.Fatalf("%v: %s", err, &stderr)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 9 {
		t.Errorf("the run ended with %v; want 9, the program's status", err)
	}
	const want = "\nwritten to trace.sluice\nits page is trace.sluice.html\nsluice trace view --serve trace.sluice serves it\n" +
		"sluice: sh: exit status 9\n"
	if !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("stderr is %q; want %q at its end", &stderr, want)
	}
	for _, name := range []string{"trace.sluice", "trace.sluice.html"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v; want it to hold something", name, err)
		}
	}
}
