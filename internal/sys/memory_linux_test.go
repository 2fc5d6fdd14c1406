package sys

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// Any system has some memory.
func TestMemory(t *testing.T) {
	if n := Memory(); n < 1<<20 {
		t.Errorf("Memory = %d bytes", n)
	}
}

const cgroupEnv = "SLUICE_TEST_CGROUP"

// TestMemoryInCgroup asks from within a control group whose parent group has a limit.
func TestMemoryInCgroup(t *testing.T) {
	if dir := os.Getenv(cgroupEnv); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte("0"), 0); err != nil {
			skip.For(t, skip.Cgroup, err)
		}
		fmt.Printf("Memory = %d\n", Memory())
		return
	}
	const limit = 96 << 20 // 96 MiB
	dir := limitedCgroup(t, fmt.Sprint(limit))
	cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryInCgroup$", "-test.v")
	cmd.Env = append(os.Environ(), cgroupEnv+"="+dir)
	out, err := cmd.CombinedOutput()
	switch {
	case strings.Contains(string(out), "--- SKIP"):
		skip.Forf(t, skip.Cgroup, "%s", out)
	case err != nil || !strings.Contains(string(out), fmt.Sprintf("Memory = %d\n", limit)):
		t.Errorf("in a control group of %d bytes: %v\n%s", limit, err, out)
	}
}

// limitedCgroup makes a control group with a limit, and another in it, which it returns.
func limitedCgroup(t *testing.T, limit string) string {
	t.Helper()
	for _, m := range memoryMounts(os.DirFS("/")) {
		name := "memory.limit_in_bytes"
		if m.v2 {
			name = "memory.max"
		}
		outer := filepath.Join(m.dir, fmt.Sprintf("sluice-test-%d", os.Getpid()))
		inner := filepath.Join(outer, "inner")
		if os.Mkdir(outer, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(outer) })
		if os.WriteFile(filepath.Join(outer, name), []byte(limit), 0) != nil || os.Mkdir(inner, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(inner) })
		return inner
	}
	skip.For(t, skip.Cgroup, "no control group with a limit of memory can be made here")
	return ""
}
