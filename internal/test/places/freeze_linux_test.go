package places

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// freezeEnv names the directory that the child of TestFreezeKilled freezes.
const freezeEnv = "SLUICE_TEST_FREEZE"

// TestFreezeKilled kills a process that has frozen a file system, while one of its threads waits
// for that file system. The kernel ends the process only after the thaw.
func TestFreezeKilled(t *testing.T) {
	if dir := os.Getenv(freezeEnv); dir != "" {
		freezeAndWrite(t, dir)
		return
	}
	hang.Watch(t)
	dir := FileSystems["ext4"](t, 16<<20) // 16 MiB
	cmd := exec.Command(os.Args[0], "-test.run=^TestFreezeKilled$")
	cmd.Env = append(os.Environ(), freezeEnv+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("frozen"))
	_, err = io.ReadFull(said, line)
	if err == nil && string(line) == "frozen" {
		hang.Eventually(func() bool { return waits(cmd.Process.Pid) })
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	cmd.Wait()
	if string(line) != "frozen" {
		skip.Forf(t, skip.Kernel, "the process has not frozen %s: %q, %v", dir, line, err)
	}
}

// freezeAndWrite freezes a file system, and writes to it.
func freezeAndWrite(t *testing.T, dir string) {
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	Freeze(t, dir)
	os.Stdout.WriteString("frozen")
	err := os.WriteFile(name, []byte("waits for the thaw"), 0o600)
	t.Fatal("a write to a frozen file system ends: ", err)
}

// waits reports whether a thread of a process is in an uninterruptible wait.
func waits(pid int) bool {
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range stats {
		// "number (command) state …"
		b, _ := os.ReadFile(name)
		if _, after, _ := strings.Cut(string(b), ") "); strings.HasPrefix(after, "D") {
			return true
		}
	}
	return false
}
