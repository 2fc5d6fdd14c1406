//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// nobody is the user without rights.
const nobody = 65534

// confine makes the tests of a mutation run without root's rights: a mutation may remove or write
// wrong files. All processes of the tests end with them.
func confine(cmd *exec.Cmd, dir string) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if os.Geteuid() != 0 {
		return nil
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	return os.Chown(dir, nobody, nobody)
}
