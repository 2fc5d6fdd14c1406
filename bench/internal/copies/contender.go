// Package copies measures programs that copy a tree: what a copy takes with the
// source in memory or not, made durable or not, and whether it is a copy.
//
// A copy goes to a directory of a new name and is removed outside the time,
// after which all is written to disk and the page cache is made what it was: a
// copy is to find what the one before it found.
package copies

import (
	"os/exec"
	"slices"
	"strings"
)

// Contender is a way to copy a tree.
type Contender struct {
	Name string
	Argv []string // a program and its arguments, which the source and the copy follow
	Exe  string   // the file of the program; "" looks Argv[0] up
	// Version are arguments that make it do next to nothing.
	Version []string
	// Contents is set for a program that copies a directory into another
	// unless its name ends with a slash.
	Contents bool
	// Syncs says that it makes its copy durable in the way of the mode; else
	// the fsyncs of all files follow it, one after the other.
	Syncs bool
}

// find returns the path of the program.
func (c Contender) find() (string, error) {
	if c.Exe != "" {
		return c.Exe, nil
	}
	return exec.LookPath(c.Argv[0])
}

func (c Contender) command(src, dst string) []string {
	if c.Contents {
		src += "/"
	}
	return slices.Concat(c.Argv, []string{src, dst})
}

// String returns the command as it is typed.
func (c Contender) String() string {
	return strings.Join(slices.Concat(c.Argv, []string{"SRC", "DST"}), " ")
}

// Sync is what is on disk at the end of the time.
type Sync string

// The ways to make a copy durable.
const (
	SyncNone  Sync = ""       // nothing for certain
	SyncFS    Sync = "syncfs" // all, by a syncfs(2) that follows the program
	SyncFiles Sync = "fsync"  // all, by an fsync(2) of each file
)

// Mode is how a copy is measured.
type Mode struct {
	Name string `json:"name"`
	Cold bool   `json:"cold"` // nothing of the source is in memory; else all of it
	Sync Sync   `json:"sync,omitempty"`
	// Part has the first subdirectory of the source copied instead of all of it.
	Part bool `json:"part,omitempty"`
}
