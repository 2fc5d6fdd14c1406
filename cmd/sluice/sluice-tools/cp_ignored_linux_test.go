package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCpIgnoredSignals sends a copy signals that were ignored at its start, as with nohup or
// in the background jobs of a script. The copy must go on to its end.
func TestCpIgnoredSignals(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `trap "" HUP INT; exec sluice cp pipe copy`)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the copy has opened the pipe
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(cmd.Process.Signal(syscall.SIGHUP), cmd.Process.Signal(syscall.SIGINT))
	if _, werr := writer.WriteString("text"); err != nil || werr != nil {
		t.Error(err, werr)
	}
	writer.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the copy ended with %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "copy")); string(text) != "text" || err != nil {
		t.Errorf("the copy is %q, %v", text, err)
	}
}
