package throttle

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/cmd/sluice/internal/blockdev"
)

// loopDevice makes a loop device of 1 MiB, or skips the test.
func loopDevice(t *testing.T) (path, number string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("loop devices and control groups take root")
	}
	name := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := blockdev.Attach(name)
	if err != nil {
		t.Skip(err)
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

// limited tells in which groups there is a limit for the device of that number.
func limited(t *testing.T, number string) (groups []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(mountPoint, prefix+"*", readIOPS))
	for _, file := range append(files, filepath.Join(mountPoint, readIOPS)) {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains("\n"+string(text), "\n"+number) {
			groups = append(groups, filepath.Dir(file))
		}
	}
	return groups
}

// TestReads finds the limit while there is a group, with its process in it, and
// nothing of either afterwards.
func TestReads(t *testing.T) {
	device, number := loopDevice(t)
	g, err := Reads(device, 500)
	if err != nil {
		t.Skip(err)
	}
	if got := limited(t, number); len(got) != 1 || got[0] != g.dir {
		t.Errorf("the device is limited in %q; want %s alone", got, g.dir)
	}
	cmd := exec.Command("cat") // until its input ends
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

// TestSweep has a group whose maker was killed, and one whose maker lives.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skip(err)
	}
	dead := filepath.Join(dir, prefix+strconv.Itoa(cmd.Process.Pid))
	alive := filepath.Join(dir, prefix+strconv.Itoa(os.Getpid()))
	other := filepath.Join(dir, prefix+"notes")
	for _, group := range []string{dead, alive, other} {
		if err := os.Mkdir(group, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sweep(dir)
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
