package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/blockdev"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// loopDevice makes a loop device of 1 MiB, or skips the test.
func loopDevice(t *testing.T) (path, number string) {
	t.Helper()
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "loop devices and control groups take root")
	}
	name := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := blockdev.Attach(name)
	if err != nil {
		skip.For(t, skip.Loop, err)
	}
	t.Cleanup(func() {
		if err := l.Detach(); err != nil {
			t.Error(err)
		}
	})
	var st unix.Stat_t
	if err := unix.Stat(l.Path, &st); err != nil {
		t.Fatal(err)
	}
	return l.Path, fmt.Sprintf("%d:%d ", unix.Major(st.Rdev), unix.Minor(st.Rdev))
}

// limited returns the groups with a limit for the device of that number.
func limited(t *testing.T, number string) (groups []string) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	in, err := io.find(string(mounts))
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(in.dir, in.prefix+"*", in.file))
	for _, file := range append(files, filepath.Join(in.dir, in.file)) {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains("\n"+string(text), "\n"+number) {
			groups = append(groups, filepath.Dir(file))
		}
	}
	return groups
}

// TestReads checks that the limit and the process are in the group, and that nothing of either
// remains at the end.
func TestReads(t *testing.T) {
	device, number := loopDevice(t)
	g, err := Reads(device, 500)
	if err != nil {
		skip.For(t, skip.Cgroup, err)
	}
	if got := limited(t, number); len(got) != 1 || got[0] != g.dir {
		t.Errorf("the device is limited in %q; want %s alone", got, g.dir)
	}
	cmd := exec.Command("cat") // runs until its input ends
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.Add(cmd.Process.Pid); err != nil {
		t.Error(err)
	}
	procs, err := os.ReadFile(filepath.Join(g.dir, "cgroup.procs"))
	if want := strconv.Itoa(cmd.Process.Pid) + "\n"; string(procs) != want {
		t.Errorf("in the group is %q, %v; want %q", procs, err, want)
	}
	if err := stdin.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if got := limited(t, number); len(got) != 0 {
		t.Errorf("the device is still limited, in %q", got)
	}
	if _, err := os.Stat(g.dir); err == nil {
		t.Errorf("%s is still there", g.dir)
	}
}

// TestSweep has a group of a killed process, which must be removed, and a group of a running
// process.
func TestSweep(t *testing.T) {
	prefix := io.prefix
	dir := t.TempDir()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		skip.For(t, skip.Shell, err)
	}
	dead := filepath.Join(dir, prefix+strconv.Itoa(cmd.Process.Pid))
	alive := filepath.Join(dir, prefix+strconv.Itoa(os.Getpid()))
	other := filepath.Join(dir, prefix+"notes")
	for _, group := range []string{dead, alive, other} {
		if err := os.Mkdir(group, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	removeStale(dir, prefix)
	for group, want := range map[string]bool{dead: false, alive: true, other: true} {
		if _, err := os.Stat(group); (err == nil) != want {
			t.Errorf("%s: there is %v; want %v", group, err == nil, want)
		}
	}
}

func TestNoDevice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, file + "-that-is-not-there"} {
		if _, err := Reads(path, 1); err == nil || !strings.HasPrefix(err.Error(), "cannot throttle "+path) {
			t.Errorf("Reads(%s) = %v; want an error that names it", path, err)
		}
	}
}

// fakeRoot is the root of a hierarchy of version 2. Its groups get the files that the kernel would
// make.
func fakeRoot(t *testing.T, controllers, delegated string) (dir string, mkdir func(string, os.FileMode) error) {
	t.Helper()
	dir = t.TempDir()
	put(t, filepath.Join(dir, "cgroup.controllers"), controllers)
	put(t, filepath.Join(dir, "cgroup.subtree_control"), delegated)
	return dir, func(name string, mode os.FileMode) error {
		err := os.Mkdir(name, mode)
		if err == nil {
			put(t, filepath.Join(name, "io.max"), "")
			put(t, filepath.Join(name, "cgroup.procs"), "")
		}
		return err
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantText(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); string(got) != want || err != nil {
		t.Errorf("%s has %q, %v; want %q", filepath.Base(name), got, err, want)
	}
}

// TestV2 makes a group in a directory that looks like cgroup v2, without and with the io controller
// for groups.
func TestV2(t *testing.T) {
	for delegated, want := range map[string]string{"memory\n": "+io", "io memory\n": "io memory\n"} {
		dir, mkdir := fakeRoot(t, "cpuset cpu io memory\n", delegated)
		g, err := newGroup(io.inV2(dir), "7:3 riops=500", "7:3 riops=max", mkdir)
		if err != nil {
			t.Fatal(err)
		}
		control := filepath.Join(dir, "cgroup.subtree_control")
		if want == "+io" {
			want += delegated[len(want):] // a write to the fake file does not truncate it
		}
		wantText(t, control, want)
		wantText(t, filepath.Join(g.dir, "io.max"), "7:3 riops=500")
		if err := g.Add(1234); err != nil {
			t.Error(err)
		}
		wantText(t, filepath.Join(g.dir, "cgroup.procs"), "1234")
		if err := g.set(g.none); err != nil {
			t.Error(err)
		}
		wantText(t, filepath.Join(g.dir, "io.max"), "7:3 riops=max")
		// The kernel's files go with the group.
		for _, file := range []string{"io.max", "cgroup.procs"} {
			if err := os.Remove(filepath.Join(g.dir, file)); err != nil {
				t.Error(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(g.dir); err == nil {
			t.Errorf("%s is still there", g.dir)
		}
		wantText(t, control, strings.Replace(want, "+io", "-io", 1))
	}
}

// TestFind chooses among mounts, and checks the error about what is missing.
func TestFind(t *testing.T) {
	has, _ := fakeRoot(t, "cpu io\n", "")
	hasNot, _ := fakeRoot(t, "cpu memory\n", "")
	spaced := filepath.Join(t.TempDir(), "a b")
	if err := os.Rename(has, spaced); err != nil {
		t.Fatal(err)
	}
	escaped := strings.ReplaceAll(spaced, " ", `\040`)
	blkio := t.TempDir()
	const file = "blkio.throttle.read_iops_device"
	put(t, filepath.Join(blkio, file), "")
	old := "cgroup " + blkio + " cgroup rw,relatime,blkio 0 0\n"
	const other = "cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0\n"
	for _, c := range []struct{ mounts, dir, file, err string }{
		{other + old, blkio, file, ""},
		{"cgroup2 " + escaped + " cgroup2 rw 0 0\n" + old, blkio, file, ""},
		{other + "cgroup2 " + escaped + " cgroup2 rw 0 0\n", spaced, "io.max", ""},
		{"cgroup2 " + hasNot + " cgroup2 rw 0 0\ncgroup2 " + escaped + " cgroup2 rw 0 0\n", spaced, "io.max", ""},
		{"cgroup2 " + hasNot + " cgroup2 rw 0 0\n", "", "", "has no io controller"},
		{"cgroup2 /not-there cgroup2 rw 0 0\n", "", "", "/not-there/cgroup.controllers"},
		{"cgroup /not-there cgroup rw,blkio 0 0\ncgroup2 " + hasNot + " cgroup2 rw 0 0\n", "", "", "/not-there/" + file},
		{other + "a\n", "", "", "neither cgroup v1 with blkio nor cgroup v2 is mounted"},
	} {
		h, err := io.find(c.mounts)
		switch {
		case c.err == "" && (err != nil || h.dir != c.dir || h.file != c.file):
			t.Errorf("find(%q) = %+v, %v; want %s, %s", c.mounts, h, err, c.dir, c.file)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("find(%q) = %v; want %s", c.mounts, err, c.err)
		}
	}
}

// TestV2Fails has no file for the limit. The error must name it, and no group may be left.
func TestV2Fails(t *testing.T) {
	dir, _ := fakeRoot(t, "io\n", "io\n")
	if g, err := newGroup(io.inV2(dir), "7:3 riops=500", "7:3 riops=max", os.Mkdir); err == nil || !strings.Contains(err.Error(), "io.max") {
		t.Errorf("newGroup = %v, %v; want an error with io.max in it", g, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, io.prefix+"*")); len(left) != 0 {
		t.Errorf("%q are left", left)
	}
}
