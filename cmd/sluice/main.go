// Command sluice copies trees, compares the disk I/O of sluice with os.File's, builds
// programs whose os.File goes through sluice, and shows what this machine allows.
//
//	sluice cp        copy files and trees, as GNU cp does
//	sluice build     build a Go program whose os.File goes through sluice; install, run, test
//	sluice fix       rewrite a Go program so that it opens files with package sluice
//	sluice bench     run experiments on a temporary file, draw and compare runs
//	sluice trace     record a program's I/O, and look at it
//	sluice top       show what a running program's I/O does now
//	sluice tune      measure a device, for classes of operations
//	sluice doctor    what the kernel, file system and container allow
//	sluice completion, sluice man
//	sluice version
//
// This program has cp and version. It executes sluice-tools for the other subcommands
// (docs/decisions/0035-two-programs.md).
//
// If a command takes the name of a file, the name - stands for standard input or standard
// output, except for cp.
//
// The exit status is
//
//	0           the command has succeeded
//	1           the command has failed (cp: or the command line is wrong)
//	2           the command line is wrong
//	130, 143    the command was interrupted or terminated
//
// A command that runs another program has the program's exit status.
package main

import (
	// Before what it starts, whose messages say less
	_ "github.com/sluiceio/sluice/cmd/sluice/internal/openfiles"

	"github.com/sluiceio/sluice/cmd/sluice/internal/front"
)

func main() { front.Main() }
