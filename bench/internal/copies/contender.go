// Package copies measures programs that copy a tree of files: time, processor time, memory and
// threads. The source may be in memory or not, and the copy may be durable or not. It checks that a
// program really makes a copy.
//
// A Place holds the tree, on a new file system if possible. Place.Copy runs one program once. Each
// copy goes to a new directory; removing it is not timed. Then the file system is synced and the
// page cache is set again, so that each copy starts from the same state.
//
// Package experiments decides which programs copy, in which modes and how often.
package copies

import (
	"os/exec"
	"slices"
	"strings"
)

// Contender is a competing program, with its arguments.
type Contender struct {
	Name string
	Argv []string // the program and its arguments; source and copy are added
	Exe  string   // the program's file; "" looks up Argv[0]
	// Version has arguments that make the program print its version, or do as little.
	Version []string
	// Contents is set for a program that copies the directory itself into the destination, unless
	// the source's name ends with a slash.
	Contents bool
	// Syncs is set for a program that calls fsync for each file. After other programs, the files
	// are synced one by one.
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

// String returns the command as typed.
func (c Contender) String() string {
	return strings.Join(slices.Concat(c.Argv, []string{"SRC", "DST"}), " ")
}

// Sync is the way to make a copy durable within the measured time.
type Sync string

// The ways to make a copy durable.
const (
	SyncNone  Sync = ""       // the copy is not made durable
	SyncFS    Sync = "syncfs" // by a syncfs(2) after the program
	SyncFiles Sync = "fsync"  // by an fsync(2) of each file
)

// Mode is the condition under which a copy is measured.
type Mode struct {
	Name string `json:"name"`
	Cold bool   `json:"cold"` // nothing of the source is in memory; otherwise all is
	Sync Sync   `json:"sync,omitempty"`
	// Part copies the first subdirectory of the source instead of all of it.
	Part bool `json:"part,omitempty"`
}
