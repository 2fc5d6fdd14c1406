// Package throttle makes a block device slow for chosen processes, by a control group (cgroup v1,
// blkio.throttle; or v2, io.max). Package slowdisk uses it.
//
// The limit is set in a new group, and disappears with it. A limit in the root group would belong
// to the device's number: the next device with that number would be slow as well, long after.
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

// prefix begins the names of our groups; the process that made the group follows.
const prefix = "sluice-bench-"

// Group is a control group for whose processes a device is slow.
type Group struct {
	in      hierarchy
	enabled bool   // in.enable changed the hierarchy
	dir     string // of the group
	device  string // major:minor
}

// Reads makes a group for whose processes the device of that path does at most iops reads a
// second. It needs root. It also removes groups of processes that were killed. The caller must
// close the Group, even in a panic.
func Reads(device string, iops int) (*Group, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, fmt.Errorf("cannot throttle %s: %w", device, err)
	}
	return reads(device, iops, string(mounts), os.Mkdir)
}

// reads is Reads with given mounts, and a function that makes a group.
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
	removeStale(in.dir)
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

// set writes a limit.
func (g *Group) set(text string) error { return write(filepath.Join(g.dir, g.in.file), text) }

func (g *Group) disable() error {
	if !g.enabled {
		return nil
	}
	return g.in.disable()
}

// Add puts a process into the group, and with it those that it starts later.
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

// Close removes the limit, even for processes that are still running, and removes the group when
// they have ended.
func (g *Group) Close() error {
	err := g.set(fmt.Sprintf(g.in.none, g.device))
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

// removeStale removes the groups in dir whose process no longer exists.
func removeStale(dir string) {
	groups, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
	for _, group := range groups {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(group), prefix))
		if err == nil && unix.Kill(pid, 0) == unix.ESRCH {
			_ = os.Remove(group) // fails if the group has processes
		}
	}
}
