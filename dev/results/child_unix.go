//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// interruptible makes cmd end by one SIGINT, on which sluice bench removes its files. A second
// signal would end it at once, so the process has its own process group, which Ctrl-C does not
// reach.
func interruptible(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
}
