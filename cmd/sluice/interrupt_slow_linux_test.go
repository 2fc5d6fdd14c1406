package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestInterruptUnthrottles ends threads by Ctrl-C while its disk is slow.
func TestInterruptUnthrottles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("a throttled device takes root")
	}
	dir := t.TempDir()
	b := startBench(t, "threads", "--dir", dir)
	group := filepath.Join("/sys/fs/cgroup/blkio", "sluice-bench-"+strconv.Itoa(b.cmd.Process.Pid))
	for lines := bufio.NewScanner(b.stdout); lines.Scan() && !strings.HasPrefix(lines.Text(), "----"); { // the disk is there
	}
	waitForWorkers(t, b.cmd.Process.Pid, 1)
	_, err := os.Stat(group)
	throttled := err == nil
	_, status := b.interrupt()
	if !throttled {
		t.Skipf("no throttled device: %s", &b.stderr)
	}
	if said := b.stderr.String(); status != 130 || said != "sluice: interrupted\n" {
		t.Errorf("run ended with status %d, %q; want exit status 130, interrupted", status, said)
	}
	if _, err := os.Stat(group); err == nil {
		t.Errorf("the throttle is left, in %s", group)
	}
	wantEmpty(t, dir)
}
