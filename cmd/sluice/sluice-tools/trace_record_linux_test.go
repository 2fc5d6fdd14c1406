package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// terminal returns the two ends of a new pseudoterminal.
func terminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		skip.For(t, skip.Dev, err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	n, err := unix.IoctlGetUint32(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		skip.For(t, skip.Dev, err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		skip.For(t, skip.Dev, err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return keyboard, screen
}

// onTerminal makes screen the controlling terminal of cmd, which runs in its foreground.
func onTerminal(cmd *exec.Cmd, screen *os.File) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
}

// TestRecordOnATerminal types Ctrl-C, which must end only the program. Then the page must be
// opened.
func TestRecordOnATerminal(t *testing.T) {
	dir := t.TempDir()
	const program = reading + `
trap 'exit 5' INT
touch ready
while :; do sleep 0.01; done`
	const opener = "#!/bin/sh\necho \"$1\" >page.new\nmv page.new page\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(opener), 0o700); err != nil {
		t.Fatal(err)
	}
	keyboard, screen := terminal(t)
	cmd := exec.Command("sluice", "trace", "record", "--events", "1000", "--", "sh", "-c", program)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "DISPLAY=:0", "PATH="+dir+":"+os.Getenv("PATH"))
	onTerminal(cmd, screen)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(dir, "ready"))
	const ctrlC = 3
	if _, err := keyboard.Write([]byte{ctrlC}); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 5 {
		t.Errorf("the run ended with %v; want 5, the program's status", err)
	}
	page := waitForFile(t, filepath.Join(dir, "page"))
	if want := filepath.Join(dir, "trace.sluice.html") + "\n"; page != want {
		t.Errorf("opened %q; want %q", page, want)
	}
}

// TestFromTerminal calls fromTerminal in a process with a terminal, and in one without.
func TestFromTerminal(t *testing.T) {
	const variable = "SLUICE_TEST_FROM_TERMINAL"
	if name := os.Getenv(variable); name != "" {
		text := fmt.Sprint(fromTerminal(syscall.SIGINT), fromTerminal(syscall.SIGTERM))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	_, screen := terminal(t)
	for _, test := range []struct {
		what string
		has  func(*exec.Cmd)
		want string
	}{
		{"with a terminal", func(cmd *exec.Cmd) { onTerminal(cmd, screen) }, "true false"},
		{"without one", func(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }, "false false"},
	} {
		name := filepath.Join(t.TempDir(), "said")
		cmd := exec.Command(os.Args[0], "-test.run=^TestFromTerminal$")
		cmd.Env = append(os.Environ(), variable+"="+name)
		test.has(cmd)
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(name); string(got) != test.want {
			t.Errorf("%s fromTerminal of SIGINT and SIGTERM = %s; want %s", test.what, got, test.want)
		}
	}
}

// waitForFile waits for a file until the test's deadline, and returns its content.
func waitForFile(t *testing.T, name string) string {
	t.Helper()
	for t.Context().Err() == nil {
		if text, err := os.ReadFile(name); err == nil {
			return string(text)
		}
		time.Sleep(time.Millisecond)
	}
	return ""
}
