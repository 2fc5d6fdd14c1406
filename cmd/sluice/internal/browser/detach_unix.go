//go:build unix

package browser

import (
	"os/exec"
	"syscall"
)

// detach puts the command into its own session, so that Ctrl-C and the end of the
// terminal do not reach the browser.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
