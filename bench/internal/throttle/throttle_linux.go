// Package throttle makes a block device slow for chosen processes, by a control
// group of theirs (cgroup v1, blkio.throttle; or v2, io.max).
//
// The limit is set in a group that is made for it, and goes with the group. One in
// the root's would belong to the device's number and not to the device: whoever
// has that number next would be as slow, long after.
package throttle

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

// prefix is how our groups are called, before the number of the process that has
// made them.
const prefix = "sluice-bench-"

// Group is processes for which a device is slow.
type Group struct {
	in      hierarchy
	enabled bool // in has groups limit I/O because we have asked for it
	dir     string
	device  string // its number, as the kernel writes it
}

// Reads makes a group for which the device of that path does at most so many
// reads a second. It takes root. The caller closes it in any case, a panic
// included. Groups of processes that were killed are removed.
func Reads(device string, iops int) (*Group, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, fmt.Errorf("cannot throttle %s: %w", device, err)
	}
	return reads(device, iops, string(mounts), os.Mkdir)
}

// reads is Reads with the mounts that there are, and what makes a group.
func reads(device string, iops int, mounts string, mkdir func(string, os.FileMode) error) (*Group, error) {
	var st unix.Stat_t
	if err := unix.Stat(device, &st); err != nil {
		return nil, fmt.Errorf("cannot throttle %s: %w", device, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return nil, fmt.Errorf("cannot throttle %s: it is no block device", device)
	}
	in, err := find(mounts)
	if err != nil {
		return nil, fmt.Errorf("cannot throttle %s: %w", device, err)
	}
	return newGroup(in, fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev)), iops, mkdir)
}

// newGroup makes a group for the device of that number.
func newGroup(in hierarchy, device string, iops int, mkdir func(string, os.FileMode) error) (*Group, error) {
	sweep(in.dir)
	g := &Group{in: in, dir: filepath.Join(in.dir, prefix+strconv.Itoa(os.Getpid())), device: device}
	var err error
	if g.enabled, err = in.enable(); err != nil {
		return nil, err
	}
	if err = mkdir(g.dir, 0o755); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot make a control group: %w", err), g.disable())
	}
	if err = g.set(fmt.Sprintf(in.rate, device, iops)); err != nil {
		err = fmt.Errorf("cannot limit the device in a control group: %w", err)
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// set sets a limit.
func (g *Group) set(text string) error { return write(filepath.Join(g.dir, g.in.file), text) }

func (g *Group) disable() error {
	if !g.enabled {
		return nil
	}
	return g.in.disable()
}

// Add puts a process into the group, with all that it will start.
func (g *Group) Add(pid int) error {
	if err := write(filepath.Join(g.dir, "cgroup.procs"), strconv.Itoa(pid)); err != nil {
		return fmt.Errorf("cannot put a process into a control group: %w", err)
	}
	return nil
}

// A process that has just ended may still be in its group.
const (
	removeTries = 100
	removePause = 20 * time.Millisecond
)

// Close takes the limit off, also for processes that are still there, and
// removes the group when they have ended.
func (g *Group) Close() error {
	err := g.set(fmt.Sprintf(g.in.none, g.device))
	if errors.Is(err, os.ErrNotExist) {
		err = nil // there never was one
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

// sweep removes the groups in dir whose makers have been killed.
func sweep(dir string) {
	groups, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
	for _, group := range groups {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(group), prefix))
		if err == nil && unix.Kill(pid, 0) == unix.ESRCH {
			_ = os.Remove(group) // what is not empty stays
		}
	}
}
