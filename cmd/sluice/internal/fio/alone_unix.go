//go:build unix

package fio

import (
	"os/exec"
	"syscall"
)

// alone makes the process the first of a group, and its end that of the group:
// fio's jobs are processes of their own, which would go on without it.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
