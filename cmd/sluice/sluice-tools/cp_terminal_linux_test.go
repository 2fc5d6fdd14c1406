package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCpProgress copies a FIFO to a file. The progress line is on the terminal until the
// test writes to the FIFO, and is then erased.
func TestCpProgress(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	keyboard, screen := terminal(t)
	cmd := exec.Command("sluice", "cp", "--progress", "pipe", "copy")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TERM=xterm")
	onTerminal(cmd, screen)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	readUntil(t, keyboard, "0/1 files, 0 B/0 B, 0 B/s  pipe")
	if err := os.WriteFile(filepath.Join(dir, "pipe"), []byte("text\n"), 0); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	const end = "what comes next"
	if _, err := screen.WriteString(end); err != nil {
		t.Fatal(err)
	}
	if text := readUntil(t, keyboard, end); !strings.HasSuffix(text, "\r\x1b[K"+end) {
		t.Errorf("the screen has %q; want the line to be taken back", text)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "copy")); string(text) != "text\n" || err != nil {
		t.Errorf("the copy is %q, %v", text, err)
	}
}

// readUntil returns the text on the screen, up to the text that it waits for.
func readUntil(t *testing.T, keyboard *os.File, text string) string {
	t.Helper()
	var all strings.Builder
	for b := make([]byte, 1); !strings.HasSuffix(all.String(), text); {
		if _, err := keyboard.Read(b); err != nil {
			t.Fatalf("%v after %q; want %q", err, &all, text)
		}
		all.Write(b)
	}
	return all.String()
}
