//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// interruptible makes cmd end by one SIGINT, at which sluice bench removes its files. A second signal
// would end it at once, so the process is in a group of its own, which Ctrl-C does not reach.
func interruptible(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
}
