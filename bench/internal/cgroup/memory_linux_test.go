package cgroup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestMemory reads a file of 64 MiB in a group of 16 MiB. The group must hold less than its limit,
// the process must be in it, and nothing of it may be left at the end.
func TestMemory(t *testing.T) {
	const limit = 16 << 20 // 16 MiB
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "control groups take root")
	}
	g, err := Memory(limit)
	if err != nil {
		skip.For(t, skip.Cgroup, err)
	}
	text, err := os.ReadFile(filepath.Join(g.dir, g.in.file))
	if strings.TrimSpace(string(text)) != strconv.Itoa(limit) || err != nil {
		t.Errorf("the limit is %q, %v; want %d", text, err, limit)
	}
	if err := g.LimitMemory(2 * limit); err != nil {
		t.Error(err)
	}
	text, err = os.ReadFile(filepath.Join(g.dir, g.in.file))
	if strings.TrimSpace(string(text)) != strconv.Itoa(2*limit) || err != nil {
		t.Errorf("the limit is %q, %v after LimitMemory; want %d", text, err, 2*limit)
	}
	if err := g.LimitMemory(limit); err != nil {
		t.Error(err)
	}
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 4*limit), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "read go && cat "+name+" >/dev/null && echo done && read end")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.Add(cmd.Process.Pid); err != nil {
		t.Error(err)
	}
	_, _ = in.Write([]byte("go\n"))
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Errorf("the process has not read the file: %v", err)
	}
	peak := "memory.max_usage_in_bytes"
	if g.in.v2 {
		peak = "memory.peak"
	}
	text, err = os.ReadFile(filepath.Join(g.dir, peak))
	if used, _ := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && (used == 0 || used > limit) {
		t.Errorf("the group held up to %q bytes; want 1 to %d", text, limit)
	}
	_ = in.Close()
	_ = cmd.Wait() // read fails at the end of its input
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(g.dir); err == nil {
		t.Errorf("%s is still there", g.dir)
	}
}

// TestMemoryV2 makes a group in a directory that looks like cgroup v2.
func TestMemoryV2(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "cgroup.controllers"), "io memory\n")
	put(t, filepath.Join(dir, "cgroup.subtree_control"), "memory\n")
	g, err := limitMemory(1<<30, "cgroup2 "+dir+" cgroup2 rw 0 0\n", func(name string, mode os.FileMode) error {
		err := os.Mkdir(name, mode)
		put(t, filepath.Join(name, "memory.max"), "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, filepath.Join(g.dir, "memory.max"), "1073741824")
	if g.none != "max" {
		t.Errorf("the limit is taken back by %q; want max", g.none)
	}
}

// TestMemoryMissing has no controller, and the error must say so.
func TestMemoryMissing(t *testing.T) {
	_, err := limitMemory(1, "", os.Mkdir)
	if want := "cannot limit memory: there are no control groups: neither cgroup v1 with memory nor cgroup v2 is mounted"; err == nil || err.Error() != want {
		t.Errorf("Memory = %v; want %s", err, want)
	}
}
