//go:build !unix

package toolbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
)

// become runs another program, and ends with its status. An interrupt reaches both programs; what
// it does is the other's decision.
func become(file string, argv, env []string) error {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	cmd := &exec.Cmd{Path: file, Args: argv, Env: env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		return fmt.Errorf("cannot start %s: %w", file, err)
	}
	os.Exit(0)
	return nil
}
