package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Pdeathsig is sent when the thread ends that started the process, so the main goroutine keeps its
// thread.
func init() { runtime.LockOSThread() }

// isolated returns the command that runs a test binary. As root it has its own mounts, with its
// temporary files in a tmpfs among them. The kernel removes the mounts, and loop devices that
// nothing else uses, when the last of its processes has ended. All of them end with this process.
func isolated(ctx context.Context, binary string, args []string) *exec.Cmd {
	line := append([]string{binary}, args...)
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	root := os.Getuid() == 0
	if root {
		line = append([]string{"sh", "-c", `mount -t tmpfs sluice-torture /dev/shm && exec "$@"`, "sh"}, line...)
		attr.Unshareflags = syscall.CLONE_NEWNS
	}
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.SysProcAttr = attr
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if root {
		cmd.Env = append(cmd.Environ(), "TMPDIR=/dev/shm")
	}
	return cmd
}
