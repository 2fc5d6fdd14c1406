package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/goflags"
	"github.com/sluiceio/sluice/cmd/sluice/internal/overlay"
)

// coverToolCmd is `sluice covertool`, which the go command runs for its tools (-toolexec).
type coverToolCmd struct {
	File    string   `arg:""`
	Command []string `arg:"" passthrough:""`
}

// Run runs the tool, which prints its own errors.
func (c *coverToolCmd) Run() error {
	if len(c.Command) > 0 && c.Command[0] == "--" {
		c.Command = c.Command[1:]
	}
	cover, err := overlay.NewCover(c.File, c.Command)
	if err != nil {
		return err
	}
	if cover == nil {
		return runTool(c.Command)
	}
	return errors.Join(runTool(cover.Args), cover.Finish())
}

func runTool(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return reportedError(statusOf(exit))
	}
	return err
}

// counted makes the go command run its tools through `sluice covertool`, if it makes a
// coverage profile.
func counted(line *goflags.Line, o *overlay.Overlay) error {
	if !line.Cover && !strings.Contains(o.GOFLAGS, "-cover") {
		return nil
	}
	if strings.Contains(o.GOFLAGS, "-toolexec") {
		return errors.New("GOFLAGS has a -toolexec, which -cover needs: give it on the command line")
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	line.Flags = append(line.Flags, strings.TrimSuffix("-toolexec="+quoted(exe)+" covertool "+quoted(o.Cover)+" -- "+line.ToolExec, " "))
	return nil
}

// quoted returns a name as the go command expects it in a list: it splits lists at spaces
// outside of quotes.
func quoted(name string) string {
	if strings.Contains(name, "'") {
		return `"` + name + `"`
	}
	return "'" + name + "'"
}
