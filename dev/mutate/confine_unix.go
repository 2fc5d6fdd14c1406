//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// nobody is the user without rights.
const nobody = 65534

// confine has the tests of a mutation run without the rights of root: a mutation may remove or write what it
// should not. All that the tests have started ends with them.
func confine(cmd *exec.Cmd, dir string) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if os.Geteuid() != 0 {
		return nil
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	return os.Chown(dir, nobody, nobody)
}
