package program

import (
	"os/exec"
	"syscall"
)

// OwnGroup returns the attributes of a process that starts its own process group. Windows turns off
// Ctrl-C for the processes of this group.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// kill ends a process.
func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
