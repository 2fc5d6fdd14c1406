package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestIsolated checks that an ended process leaves no mount behind, nor a file in memory.
func TestIsolated(t *testing.T) {
	if os.Getuid() != 0 {
		skip.For(t, skip.Root, "mounts of its own need root")
	}
	ctx, stop := context.WithCancel(context.Background())
	name := "/dev/shm/sluice-torture-test"
	cmd := isolated(ctx, "sh", []string{"-c", "echo > " + name + "; echo there; sleep 1000"})
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		skip.For(t, skip.Mount, "no process with mounts of its own: ", err)
	}
	b := make([]byte, 6)
	if n, err := out.Read(b); string(b[:n]) != "there\n" {
		stop()
		cmd.Wait()
		skip.Forf(t, skip.Mount, "the process has not started: %q, %v", b[:n], err)
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("a file of the process is there outside of it: %v", err)
	}
	stop()
	if err := cmd.Wait(); err == nil {
		t.Error("the process has ended by itself")
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || strings.Contains(string(mounts), "sluice-torture") {
		t.Errorf("a mount of the process is there outside of it, %v", err)
	}
}
