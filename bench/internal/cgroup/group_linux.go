// Package cgroup limits chosen processes by a control group (cgroup v1 or v2). Reads makes a block
// device slow for them, and Memory gives them little memory.
//
// A limit is set in a new group, and disappears with it. In the root group, a device's limit would
// belong to the device's number: the next device with that number would be slow, too, long after.
package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Group is a control group with a limit.
type Group struct {
	in      hierarchy
	enabled bool   // in.enable changed the hierarchy
	dir     string // of the group
	none    string // the text that removes the limit
}

// newGroup makes a group with a limit. text is written to its file, and none removes the limit
// again.
func newGroup(in hierarchy, text, none string, mkdir func(string, os.FileMode) error) (*Group, error) {
	removeStale(in.dir, in.prefix)
	g := &Group{in: in, dir: filepath.Join(in.dir, in.prefix+strconv.Itoa(os.Getpid())), none: none}
	var err error
	if g.enabled, err = in.enable(); err != nil {
		return nil, err
	}
	if err = mkdir(g.dir, 0o755); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot make a control group: %w", err), g.disable())
	}
	if err = g.set(text); err != nil {
		err = fmt.Errorf("cannot set the limit of a control group: %w", err)
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// set writes a limit.
func (g *Group) set(text string) error { return write(filepath.Join(g.dir, g.in.file), text) }

func (g *Group) disable() error {
	if !g.enabled {
		return nil
	}
	return g.in.disable()
}

// Add puts a process into the group. Its later children are also in it.
func (g *Group) Add(pid int) error {
	if err := write(filepath.Join(g.dir, "cgroup.procs"), strconv.Itoa(pid)); err != nil {
		return fmt.Errorf("cannot put a process into a control group: %w", err)
	}
	return nil
}

// A process that has just ended may still be in the group.
const (
	removeTries = 100
	removePause = 20 * time.Millisecond
)

// Close removes the limit, even for running processes. It removes the group when they have ended.
func (g *Group) Close() error {
	err := g.set(g.none)
	if errors.Is(err, os.ErrNotExist) {
		err = nil // there was no limit
	}
	return errors.Join(err, g.remove(), g.disable())
}

// remove removes the group.
func (g *Group) remove() error {
	for range removeTries {
		if gone := os.Remove(g.dir); !errors.Is(gone, unix.EBUSY) {
			return gone
		}
		time.Sleep(removePause)
	}
	return fmt.Errorf("cannot remove %s: processes are still in it", g.dir)
}

// removeStale removes the groups in dir with this prefix whose process no longer exists.
func removeStale(dir, prefix string) {
	groups, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
	for _, group := range groups {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(group), prefix))
		if err == nil && unix.Kill(pid, 0) == unix.ESRCH {
			_ = os.Remove(group) // fails if the group has processes
		}
	}
}
