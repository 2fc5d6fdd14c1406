// Package throttle makes a block device slow for chosen processes, by a control
// group of theirs (cgroup v1, blkio.throttle).
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

// mountPoint is where the controller is.
const mountPoint = "/sys/fs/cgroup/blkio"

// prefix is how our groups are called, before the number of the process that has
// made them.
const prefix = "sluice-bench-"

const readIOPS = "blkio.throttle.read_iops_device"

// Group is processes for which a device is slow.
type Group struct {
	dir    string
	device string // its number, as the kernel writes it
}

// Reads makes a group for which the device of that path does at most so many
// reads a second. It takes root. The caller closes it in any case, a panic
// included. Groups of processes that were killed are removed.
func Reads(device string, iops int) (*Group, error) {
	var st unix.Stat_t
	if err := unix.Stat(device, &st); err != nil {
		return nil, fmt.Errorf("cannot throttle %s: %w", device, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return nil, fmt.Errorf("cannot throttle %s: it is no block device", device)
	}
	if _, err := os.Stat(filepath.Join(mountPoint, readIOPS)); err != nil {
		return nil, fmt.Errorf("this system has no cgroup v1 with blkio.throttle: %w", err)
	}
	sweep(mountPoint)
	g := &Group{
		dir:    filepath.Join(mountPoint, prefix+strconv.Itoa(os.Getpid())),
		device: fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev)),
	}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make a control group: %w", err)
	}
	if err := g.set(iops); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// set sets the limit; 0 is none.
func (g *Group) set(iops int) error {
	return g.write(readIOPS, fmt.Sprintf("%s %d", g.device, iops))
}

func (g *Group) write(file, text string) error {
	f, err := os.OpenFile(filepath.Join(g.dir, file), os.O_WRONLY, 0) // not to be made where there is none
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Add puts a process into the group, with all that it will start.
func (g *Group) Add(pid int) error {
	if err := g.write("cgroup.procs", strconv.Itoa(pid)); err != nil {
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
	err := g.set(0)
	for range removeTries {
		if gone := os.Remove(g.dir); !errors.Is(gone, unix.EBUSY) {
			return errors.Join(err, gone)
		}
		time.Sleep(removePause)
	}
	return errors.Join(err, fmt.Errorf("cannot remove %s: processes are still in it", g.dir))
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
