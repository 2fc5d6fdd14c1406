// Command sluice copies trees, compares the disk I/O of sluice with that of os.File,
// builds programs whose os.File goes through sluice, and shows what this machine allows.
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
// Where a command takes the name of a file, - is standard input or standard output. Only
// for cp it is the name of a file.
//
// The exit status is 0, or 1 if the run failed, or 2 if the command line is wrong (cp: 1,
// as with GNU cp), or that of the program that the command ran, or 130 or 143 if it was
// interrupted or terminated.
package main

import (
	// Before what it starts, whose messages say less
	_ "github.com/sluiceio/sluice/cmd/sluice/internal/openfiles"

	"github.com/sluiceio/sluice/cmd/sluice/internal/front"
)

func main() { front.Main() }
