package program

import (
	"os/exec"
	"syscall"
)

// OwnGroup returns the attributes of a process that starts a process group of its own. Windows
// turns Ctrl-C off for the processes of such a group.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// kill ends a process.
func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
