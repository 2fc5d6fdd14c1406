package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/goflags"
	"github.com/sluiceio/sluice/cmd/sluice/internal/overlay"
)

// coverToolCmd runs a tool of the go command's, as -toolexec has it.
type coverToolCmd struct {
	File    string   `arg:""`
	Command []string `arg:"" passthrough:""`
}

// Run runs the tool. What there is to say it says itself.
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
		return toldError(statusOf(exit))
	}
	return err
}

// counted has the go command run its tools by way of `sluice covertool`, if it counts
// what is run.
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

// quoted is a name as the go command splits lists of them: at spaces outside of quotes.
func quoted(name string) string {
	if strings.Contains(name, "'") {
		return `"` + name + `"`
	}
	return "'" + name + "'"
}
