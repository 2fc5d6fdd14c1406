package sluicetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// DirEnv names a directory for a child.
const DirEnv = "SLUICE_TEST_DIR"

// ChildEnv names the part of the test binary that a child process plays.
const ChildEnv = "SLUICE_TEST_CHILD"

// Children are programs that need a process of their own. They print what
// they have to say; a non-nil error ends them with status 1.
var Children = map[string]func() error{}

// Main is the TestMain of a package whose tests have children.
func Main(m *testing.M) {
	if name := os.Getenv(ChildEnv); name != "" {
		if err := Children[name](); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Child runs a child with env added. It returns what the child printed, and
// reports whether its status was 0. If not, what the Go runtime had to say
// follows; otherwise that is left out: with -coverpkg a child that may not
// open files complains that it cannot write its counts. A child that hangs is
// made to print its goroutines.
func Child(t *testing.T, name string, env ...string) (out string, ok bool) {
	t.Helper()
	if Children[name] == nil {
		t.Fatalf("no child %q", name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = Patience
	cmd.Env = append(os.Environ(), ChildEnv+"="+name, "GOTRACEBACK=all", "GORACE=atexit_sleep_ms=0")
	cmd.Env = append(cmd.Env, env...)
	var said, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaints
	err := cmd.Run()
	if err != nil {
		complaints.WriteTo(&said)
	}
	return strings.TrimSpace(said.String()), err == nil
}
