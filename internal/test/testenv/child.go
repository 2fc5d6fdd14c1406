package testenv

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// DirEnv names a directory for a child.
const DirEnv = "SLUICE_TEST_DIR"

// ChildEnv names the part of the test binary that a child process plays.
const ChildEnv = "SLUICE_TEST_CHILD"

// Children are programs that need their own process, for example with limits or as another user.
// They print their results. An error ends them with status 1.
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

// Child runs a child with env added. It returns the output, and whether the status was 0. If it was
// not, the output includes the Go runtime's: otherwise a child that may not open files would print,
// with -coverpkg, that it cannot write its counts. A child that hangs prints its goroutines. A
// child that prints "skip: REASON: why", in the form of skip.Named, skips the test.
func Child(t *testing.T, name string, env ...string) (out string, ok bool) {
	t.Helper()
	if Children[name] == nil {
		t.Fatalf("no child %q", name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	self, err := os.Executable() // the test may have another current directory
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, "-test.run=^$")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = Patience
	cmd.Env = append(os.Environ(), ChildEnv+"="+name, "GOTRACEBACK=all", "GORACE=atexit_sleep_ms=0")
	cmd.Env = append(cmd.Env, env...)
	var said, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaints
	if err = cmd.Run(); err != nil {
		complaints.WriteTo(&said)
	}
	out = strings.TrimSpace(said.String())
	if text, ok := strings.CutPrefix(out, "skip: "); ok {
		skip.Named(t, text)
	}
	return out, err == nil
}
