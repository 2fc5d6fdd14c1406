package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestInterruptUnthrottles ends threads by Ctrl-C while its disk is slow.
func TestInterruptUnthrottles(t *testing.T) {
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "a throttled device takes root")
	}
	dir := t.TempDir()
	b := startBench(t, "threads", "--dir", dir)
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	groups := func() []string { return groupsOf(string(mounts), b.cmd.Process.Pid) }
	// The disk is there
	for lines := bufio.NewScanner(b.stdout); lines.Scan() && !strings.HasPrefix(lines.Text(), "----"); {
	}
	waitForWorkers(t, b.cmd.Process.Pid, 1)
	throttled := len(groups()) > 0
	_, status := b.stop(os.Interrupt)
	if !throttled {
		skip.Forf(t, skip.Cgroup, "no throttled device: %s", &b.stderr)
	}
	if said := b.stderr.String(); status != 130 || said != "sluice: interrupted\n" {
		t.Errorf("run ended with status %d, %q; want exit status 130, interrupted", status, said)
	}
	if left := groups(); len(left) > 0 {
		t.Errorf("the throttle is left, in %s", left)
	}
	wantEmpty(t, dir)
}

// groupsOf returns the control groups that a process has made, of version 1 or 2, where
// those are mounted that mounts has.
func groupsOf(mounts string, pid int) (groups []string) {
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[2] != "cgroup2" && (fields[2] != "cgroup" || !slices.Contains(strings.Split(fields[3], ","), "blkio")) {
			continue
		}
		group := filepath.Join(fields[1], "sluice-bench-"+strconv.Itoa(pid))
		if _, err := os.Stat(group); err == nil {
			groups = append(groups, group)
		}
	}
	return groups
}

// TestGroupsOf finds groups in directories that look like both versions.
func TestGroupsOf(t *testing.T) {
	for _, line := range []string{"cgroup2 %s cgroup2 rw 0 0\n", "cgroup %s cgroup rw,blkio 0 0\n"} {
		dir := t.TempDir()
		group := filepath.Join(dir, "sluice-bench-12")
		if err := os.Mkdir(group, 0o700); err != nil {
			t.Fatal(err)
		}
		mounts := "cgroup /not-there cgroup rw,cpu 0 0\n" + fmt.Sprintf(line, dir)
		if got := groupsOf(mounts, 12); !slices.Equal(got, []string{group}) {
			t.Errorf("groupsOf(%q) = %q; want %q", mounts, got, group)
		}
		if got := groupsOf(mounts, 1); len(got) != 0 {
			t.Errorf("groupsOf(%q) of another process = %q; want none", mounts, got)
		}
	}
}
