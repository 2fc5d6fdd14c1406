package program

import (
	"context"
	"os/exec"
)

// Command is exec.CommandContext for a program that only this process ends. The program has its own
// process group, and the end of ctx kills the whole group.
//
// A terminal and timeout(1) send their signals to this process's whole group. A program in that
// group might die of a signal before this process has seen it, which would look like the program's
// failure. And the program's children would survive it.
func Command(ctx context.Context, name string, arg ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, arg...)
	cmd.SysProcAttr = OwnGroup()
	cmd.Cancel = func() error { return kill(cmd) }
	return cmd
}
