//go:build amd64 || arm64

package slowdisk

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/skip"
)

const testSize = 1 << 20 // 1 MiB

// TestThrottled makes a disk, and checks that none of its mounts, devices, files and groups is
// left.
func TestThrottled(t *testing.T) {
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "a throttled device takes root")
	}
	dir := t.TempDir()
	before := groups()
	d, err := Open(t.Context(), dir, testSize, 1000, func(float64) {})
	if err != nil {
		skip.For(t, skip.Cgroup, err)
	}
	if info, err := os.Stat(d.Path()); err != nil || info.Size() != testSize {
		t.Errorf("the file is %v, %v; want one of %d bytes", info, err, testSize)
	}
	if err := d.DropCache(); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	gone(t, dir)
	for _, g := range groupsSince(before) {
		t.Errorf("the control group %s is left", g)
	}
}

// groups returns the existing control groups.
func groups() map[string]bool {
	found := make(map[string]bool)
	names, _ := filepath.Glob("/sys/fs/cgroup/blkio/*/")
	for _, name := range names {
		found[name] = true
	}
	return found
}

// groupsSince returns the new groups of this process, and ignores other processes' groups.
func groupsSince(before map[string]bool) (names []string) {
	own := "sluice-bench-" + strconv.Itoa(os.Getpid())
	for name := range groups() {
		if !before[name] && filepath.Base(name) == own {
			names = append(names, name)
		}
	}
	return names
}

// gone checks that the directory is empty and no mount point.
func gone(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if mounts, err := os.ReadFile("/proc/self/mounts"); err != nil || bytes.Contains(mounts, []byte(dir)) {
		t.Errorf("something is mounted in %s, %v", dir, err)
	}
}

// TestSimulated reads the file of a simulated disk, and checks that nothing is left.
func TestSimulated(t *testing.T) {
	dir := t.TempDir()
	sim, err := simulate(dir, testSize, 1000)
	if err != nil {
		skip.For(t, skip.FUSE, err)
	}
	b, err := os.ReadFile(sim.path)
	if err != nil || len(b) != testSize {
		t.Errorf("ReadFile = %d bytes, %v; want %d", len(b), err, testSize)
	}
	if err := sim.close(); err != nil {
		t.Error(err)
	}
	gone(t, dir)
}

// TestSimulatedWithoutNull has a /dev/null that cannot be opened, because it is a socket.
func TestSimulatedWithoutNull(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "socket"))
	if err != nil {
		skip.For(t, skip.Socket, err)
	}
	defer l.Close()
	const script = `mount --bind "$1" /dev/null || exit 77; exec "$0" -test.run '^TestSimulated$' -test.v`
	// A process that dies with its own mount hangs.
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", "-m", "sh", "-c", script, os.Args[0], l.Addr().String())
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	switch exit, ok := errors.AsType[*exec.ExitError](err); {
	case err != nil && (!ok || exit.ExitCode() == 77 || bytes.Contains(out, []byte("unshare failed"))):
		skip.Forf(t, skip.Mount, "a mount of our own takes root: %v, %s", err, out)
	case err != nil || !bytes.Contains(out, []byte("--- ")):
		t.Errorf("the test ends with %v:\n%s", err, out)
	}
}

// TestSimulatedOfTheKilled mounts a disk in a process that is killed. The next process must unmount
// it.
func TestSimulatedOfTheKilled(t *testing.T) {
	const variable = "SLUICE_TEST_SIMULATED_IN"
	if dir := os.Getenv(variable); dir != "" {
		if _, err := simulate(dir, testSize, 1000); err != nil {
			skip.For(t, skip.FUSE, err)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSimulatedOfTheKilled$")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	if err := cmd.Run(); err == nil {
		skip.For(t, skip.FUSE, "there are no file systems in user space here")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Fatalf("%d files are left by a process that was killed; want its mount", len(left))
	}
	sim, err := simulate(dir, testSize, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.close(); err != nil {
		t.Error(err)
	}
	gone(t, dir)
}

// TestTurn checks that simultaneous reads end one after the other.
func TestTurn(t *testing.T) {
	f := &slowFile{every: time.Hour}
	first := f.admit()
	for n := 1; n <= 3; n++ {
		if got, want := f.admit().Sub(first), time.Duration(n)*time.Hour; got != want {
			t.Errorf("read %d ends %v after the first; want %v", n, got, want)
		}
	}
}
