package places

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// playGroups makes a directory with files of these names.
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

// TestThrottleV1 limits a device in files like blkio's.
func TestThrottleV1(t *testing.T) {
	dir := playGroups(t, map[string]string{v1Reads: "", v1Writes: ""})
	found, err := findThrottle("cgroup2 /not-there cgroup2 rw 0 0\ncgroup "+dir+" cgroup rw,blkio 0 0\n", "")
	if err != nil {
		t.Fatal(err)
	}
	undo, err := found.limit("7:3", 4000, 32<<20)
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

// TestThrottleV2 limits a device in files like cgroup v2's, in groups that have io.max or get it.
func TestThrottleV2(t *testing.T) {
	for control, want := range map[string][2]string{"cpu": {"+io", "-io"}, "cpu io": {"cpu io", "cpu io"}} {
		dir := playGroups(t, map[string]string{
			"cgroup.controllers": "cpu io memory\n", "cgroup.subtree_control": control, "user/cgroup.procs": "",
		})
		found, err := findThrottle("cgroup2 "+dir+" cgroup2 rw 0 0\n", "3:cpu:/elsewhere\n0::/user\n")
		if err != nil {
			t.Fatal(err)
		}
		found.remove = os.RemoveAll // the kernel's files go with their group
		undo, err := found.limit("7:3", 4000, 32<<20)
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

// TestThrottleNone checks the error about what is missing.
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
