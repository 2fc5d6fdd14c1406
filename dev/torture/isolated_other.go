//go:build !linux

package main

import (
	"context"
	"os/exec"
)

// isolated returns the command that runs a test binary.
func isolated(ctx context.Context, binary string, args []string) *exec.Cmd {
	return exec.CommandContext(ctx, binary, args...)
}
