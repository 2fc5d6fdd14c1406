//go:build unix

package browser

import (
	"os/exec"
	"syscall"
)

// detach gives the opener a session of its own: Ctrl-C, and the end of the
// terminal, are not for the browser.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
