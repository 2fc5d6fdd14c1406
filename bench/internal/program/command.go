package program

import (
	"context"
	"os/exec"
)

// Command is exec.CommandContext for a program that this process alone ends: it has a process
// group of its own, and the end of ctx kills the whole group.
//
// A terminal and timeout(1) send their signals to the whole group of this process. A program in
// that group might die of one before this process has seen it, and its death would look like a
// failure of the program. And what the program has started would survive it.
func Command(ctx context.Context, name string, arg ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, arg...)
	cmd.SysProcAttr = OwnGroup()
	cmd.Cancel = func() error { return kill(cmd) }
	return cmd
}
