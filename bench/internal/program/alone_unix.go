//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// Alone makes the process the first of a group, and its end that of the group:
// processes that it starts would go on without it, and a Ctrl-C is ours.
func Alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
