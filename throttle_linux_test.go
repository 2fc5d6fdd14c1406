package sluice_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// throttle makes a device slow for this process: by cgroup v1's blkio, in the group of
// all that have none of their own, or by a group of cgroup v2 that it moves into.
type throttle struct {
	dir  string // where the hierarchy is mounted
	home string // of v2: the process's group, where it comes from
	v2   bool

	remove func(dir string) error // of v2: removes a group
}

// What the device does.
const (
	slowReads  = 4000     // a second
	slowWrites = 32 << 20 // 32 MiB a second
)

// findThrottle returns the one to use, of mounts and groups that are written as in
// /proc/self/mounts and /proc/self/cgroup: v1, where it is there, as v2 has no
// controller then.
func findThrottle(mounts, groups string) (t throttle, err error) {
	for line := range strings.Lines(mounts) {
		f := strings.Fields(line)
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

// limit makes the device of that number slow, until undo is called.
func (t throttle) limit(device string) (undo func() error, err error) {
	if t.v2 {
		return t.limitV2(device)
	}
	set := func(reads, writes int) error {
		return errors.Join(t.write(v1Reads, fmt.Sprintf("%s %d", device, reads)), t.write(v1Writes, fmt.Sprintf("%s %d", device, writes)))
	}
	undo = func() error { return set(0, 0) }
	if err := set(slowReads, slowWrites); err != nil {
		return nil, errors.Join(err, undo())
	}
	return undo, nil
}

func (t throttle) limitV2(device string) (undo func() error, err error) {
	const control = "cgroup.subtree_control"
	was, err := os.ReadFile(filepath.Join(t.dir, control))
	if err != nil {
		return nil, err
	}
	pid := strconv.Itoa(os.Getpid())
	group := "sluice-test-" + pid
	var steps []func() error // back, the last first
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
	do(func() error { return t.write(max, fmt.Sprintf("%s riops=%d wbps=%d", device, slowReads, slowWrites)) },
		func() error { return t.write(max, device+" riops=max wbps=max") })
	do(func() error { return t.write(filepath.Join(group, "cgroup.procs"), pid) },
		func() error { return os.WriteFile(filepath.Join(t.home, "cgroup.procs"), []byte(pid), 0) })
	if err != nil {
		return nil, errors.Join(err, undo())
	}
	return undo, nil
}

// write writes to a file of the hierarchy.
func (t throttle) write(name, text string) error {
	return os.WriteFile(filepath.Join(t.dir, name), []byte(text), 0)
}

// playGroups makes a directory with files of those names.
func playGroups(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func wantFile(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); string(got) != want || err != nil {
		t.Errorf("%s has %q, %v; want %q", filepath.Base(name), got, err, want)
	}
}

// TestThrottleV1 limits a device in files that look like blkio's.
func TestThrottleV1(t *testing.T) {
	dir := playGroups(t, map[string]string{v1Reads: "", v1Writes: ""})
	found, err := findThrottle("cgroup2 /not-there cgroup2 rw 0 0\ncgroup "+dir+" cgroup rw,blkio 0 0\n", "")
	if err != nil {
		t.Fatal(err)
	}
	undo, err := found.limit("7:3")
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, filepath.Join(dir, v1Reads), "7:3 4000")
	wantFile(t, filepath.Join(dir, v1Writes), "7:3 33554432")
	if err := undo(); err != nil {
		t.Error(err)
	}
	wantFile(t, filepath.Join(dir, v1Reads), "7:3 0")
	wantFile(t, filepath.Join(dir, v1Writes), "7:3 0")
}

// TestThrottleV2 limits one in files that look like those of cgroup v2, of which groups
// have io.max, or get it.
func TestThrottleV2(t *testing.T) {
	for control, want := range map[string][2]string{"cpu": {"+io", "-io"}, "cpu io": {"cpu io", "cpu io"}} {
		dir := playGroups(t, map[string]string{
			"cgroup.controllers": "cpu io memory\n", "cgroup.subtree_control": control, "user/cgroup.procs": "",
		})
		found, err := findThrottle("cgroup2 "+dir+" cgroup2 rw 0 0\n", "3:cpu:/elsewhere\n0::/user\n")
		if err != nil {
			t.Fatal(err)
		}
		found.remove = os.RemoveAll // the kernel's files go with the group
		undo, err := found.limit("7:3")
		if err != nil {
			t.Fatal(err)
		}
		pid := strconv.Itoa(os.Getpid())
		group := filepath.Join(dir, "sluice-test-"+pid)
		wantFile(t, filepath.Join(dir, "cgroup.subtree_control"), want[0])
		wantFile(t, filepath.Join(group, "io.max"), "7:3 riops=4000 wbps=33554432")
		wantFile(t, filepath.Join(group, "cgroup.procs"), pid)
		if err := undo(); err != nil {
			t.Error(err)
		}
		wantFile(t, filepath.Join(dir, "cgroup.subtree_control"), want[1])
		wantFile(t, filepath.Join(dir, "user", "cgroup.procs"), pid)
		if _, err := os.Stat(group); err == nil {
			t.Errorf("%s is still there", group)
		}
	}
}

// TestThrottleNone says what is missing.
func TestThrottleNone(t *testing.T) {
	without := playGroups(t, map[string]string{"cgroup.controllers": "cpu\n"})
	with := playGroups(t, map[string]string{"cgroup.controllers": "io\n"})
	for _, mounts := range []string{
		"a\n", "cgroup2 " + without + " cgroup2 rw 0 0\n", "cgroup2 " + with + " cgroup2 rw 0 0\n",
		"cgroup " + without + " cgroup rw,blkio 0 0\n",
	} {
		if found, err := findThrottle(mounts, "1:blkio:/\n"); err == nil {
			t.Errorf("findThrottle(%q) = %+v; want an error", mounts, found)
		}
	}
}
