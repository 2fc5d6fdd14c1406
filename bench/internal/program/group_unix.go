//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// OwnGroup starts the process in a process group of its own, and makes the end of the command's
// context kill the whole group. Without it, processes that the program starts would survive it,
// and a Ctrl-C on the terminal would reach the program and not only this process.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
