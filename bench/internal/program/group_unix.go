//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// OwnGroup returns the attributes of a process that starts its own process group.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// kill ends a process and its children in the group.
func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
