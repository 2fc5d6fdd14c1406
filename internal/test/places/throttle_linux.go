package places

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/internal/sys"
)

// throttle makes a device slow for this process. With cgroup v1 it uses blkio, in the root group.
// With cgroup v2 it moves the process into a new group.
type throttle struct {
	dir  string // the mount point of the hierarchy
	home string // v2: the process's original group
	v2   bool

	remove func(dir string) error // v2: removes a group
}

// findThrottle returns the throttle for mounts and groups as in /proc/self/mounts and
// /proc/self/cgroup. It prefers v1: if blkio is in v1, v2 does not have the controller.
func findThrottle(mounts, groups string) (t throttle, err error) {
	for line := range strings.Lines(mounts) {
		f := strings.Fields(line)
		for i := range f {
			f[i] = sys.Unescape(f[i])
		}
		switch {
		case len(f) < 4:
		case f[2] == "cgroup" && slices.Contains(strings.Split(f[3], ","), "blkio"):
			if _, err := os.Stat(filepath.Join(f[1], v1Reads)); err != nil {
				return throttle{}, err
			}
			return throttle{dir: f[1]}, nil
		case f[2] == "cgroup2":
			controllers, _ := os.ReadFile(filepath.Join(f[1], "cgroup.controllers"))
			if slices.Contains(strings.Fields(string(controllers)), "io") {
				t = throttle{dir: f[1], v2: true, remove: os.Remove}
			}
		}
	}
	if !t.v2 {
		return throttle{}, errors.New("neither cgroup v1 with blkio nor cgroup v2 with io is mounted")
	}
	for line := range strings.Lines(groups) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			t.home = filepath.Join(t.dir, path)
			return t, nil
		}
	}
	return throttle{}, errors.New("this process has no group of cgroup v2")
}

const (
	v1Reads  = "blkio.throttle.read_iops_device"
	v1Writes = "blkio.throttle.write_bps_device"
)

// limit limits the device of that number to so many reads, and so many written bytes, a second,
// until undo is called.
func (t throttle) limit(device string, reads, writes int) (undo func() error, err error) {
	if t.v2 {
		return t.limitV2(device, reads, writes)
	}
	set := func(reads, writes int) error {
		return errors.Join(t.write(v1Reads, fmt.Sprintf("%s %d", device, reads)), t.write(v1Writes, fmt.Sprintf("%s %d", device, writes)))
	}
	undo = func() error { return set(0, 0) }
	if err := set(reads, writes); err != nil {
		return nil, errors.Join(err, undo())
	}
	return undo, nil
}

func (t throttle) limitV2(device string, reads, writes int) (undo func() error, err error) {
	const control = "cgroup.subtree_control"
	was, err := os.ReadFile(filepath.Join(t.dir, control))
	if err != nil {
		return nil, err
	}
	pid := strconv.Itoa(os.Getpid())
	group := "sluice-test-" + pid
	var steps []func() error // to undo the limit, the last first
	undo = func() (err error) {
		for _, step := range slices.Backward(steps) {
			err = errors.Join(err, step())
		}
		return err
	}
	do := func(step, back func() error) {
		if err != nil {
			return
		}
		if err = step(); err == nil {
			steps = append(steps, back)
		}
	}
	if !slices.Contains(strings.Fields(string(was)), "io") {
		do(func() error { return t.write(control, "+io") }, func() error { return t.write(control, "-io") })
	}
	do(func() error { return os.Mkdir(filepath.Join(t.dir, group), 0o755) },
		func() error { return t.remove(filepath.Join(t.dir, group)) })
	max := filepath.Join(group, "io.max")
	do(func() error { return t.write(max, fmt.Sprintf("%s riops=%d wbps=%d", device, reads, writes)) },
		func() error { return t.write(max, device+" riops=max wbps=max") })
	do(func() error { return t.write(filepath.Join(group, "cgroup.procs"), pid) },
		func() error { return os.WriteFile(filepath.Join(t.home, "cgroup.procs"), []byte(pid), 0o600) })
	if err != nil {
		return nil, errors.Join(err, undo())
	}
	return undo, nil
}

// write writes to a file of the hierarchy.
func (t throttle) write(name, text string) error {
	return os.WriteFile(filepath.Join(t.dir, name), []byte(text), 0o600)
}
