//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// OwnGroup returns the attributes of a process that starts a process group of its own.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// kill ends a process and those that it has started in its group.
func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
