//go:build unix

package verify

import (
	"os/exec"
	"syscall"
)

// endWithGroup has the end of the context end what cmd has started, too: go test runs the test
// binaries.
func endWithGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
