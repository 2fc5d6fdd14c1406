//go:build amd64 || arm64

package slowdisk

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const testSize = 1 << 20 // 1 MiB

// TestThrottled makes a disk, and finds nothing of it left: no mount, device,
// file or group.
func TestThrottled(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("a throttled device takes root")
	}
	dir := t.TempDir()
	before := groups()
	d, err := Open(t.Context(), dir, testSize, 1000, func(float64) {})
	if err != nil {
		t.Skip(err)
	}
	if info, err := os.Stat(d.Path()); err != nil || info.Size() != testSize {
		t.Errorf("the file is %v, %v; want one of %d bytes", info, err, testSize)
	}
	if err := d.Cool(); err != nil {
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

// groups are the control groups that there are.
func groups() map[string]bool {
	found := make(map[string]bool)
	names, _ := filepath.Glob("/sys/fs/cgroup/blkio/*/")
	for _, name := range names {
		found[name] = true
	}
	return found
}

// groupsSince are those that have come since, of this process: others may be
// making theirs.
func groupsSince(before map[string]bool) (names []string) {
	own := "sluice-bench-" + strconv.Itoa(os.Getpid())
	for name := range groups() {
		if !before[name] && filepath.Base(name) == own {
			names = append(names, name)
		}
	}
	return names
}

// gone demands that nothing is in the directory, or mounted there.
func gone(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if mounts, err := os.ReadFile("/proc/self/mounts"); err != nil || bytes.Contains(mounts, []byte(dir)) {
		t.Errorf("something is mounted in %s, %v", dir, err)
	}
}

// TestSimulated reads the file of a simulated disk, and finds nothing left.
func TestSimulated(t *testing.T) {
	dir := t.TempDir()
	sim, err := simulate(dir, testSize, 1000)
	if err != nil {
		t.Skip(err)
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

// TestTurn: reads that come at once end one after the other.
func TestTurn(t *testing.T) {
	f := &slowFile{every: time.Hour}
	first := f.turn()
	for n := 1; n <= 3; n++ {
		if got, want := f.turn().Sub(first), time.Duration(n)*time.Hour; got != want {
			t.Errorf("read %d ends %v after the first; want %v", n, got, want)
		}
	}
}
