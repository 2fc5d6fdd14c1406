package proof_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/copytree"
)

// childEnv names the part of the test binary that a child process plays.
const childEnv = "SLUICE_TEST_CHILD"

// patience is after how long something hangs.
const patience = 2 * time.Minute

// children are programs that need a process of their own: with limits, as
// another user. They print what they have to say; an error ends them with
// status 1.
var children = map[string]func() error{}

func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		if err := children[name](); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child runs a child with env added. It returns what the child printed, and
// reports whether its status was 0. If not, what the Go runtime had to say
// follows; otherwise that is left out: with -coverpkg a child that is nobody
// complains that it cannot write its counts. A child that hangs is made to
// print its goroutines.
func child(t *testing.T, name string, env ...string) (out string, ok bool) {
	t.Helper()
	if children[name] == nil {
		t.Fatalf("no child %q", name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	self, err := os.Executable() // the current directory is the test's
	must(t, err)
	cmd := exec.CommandContext(ctx, self, "-test.run=^$")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = patience
	cmd.Env = append(os.Environ(), childEnv+"="+name, "GOTRACEBACK=all", "GORACE=atexit_sleep_ms=0")
	cmd.Env = append(cmd.Env, env...)
	var said, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaints
	if err = cmd.Run(); err != nil {
		complaints.WriteTo(&said)
	}
	return strings.TrimSpace(said.String()), err == nil
}

// copied copies and fails the test if there was an error, or no end.
func copied(t *testing.T, dst, src string, o copytree.Options) copytree.Result {
	t.Helper()
	r, err := within(t, dst, src, o)
	if err != nil {
		t.Fatalf("Copy(%q, %q) = %v", dst, src, err)
	}
	return r
}

// refused copies, and fails the test unless the error is want.
func refused(t *testing.T, dst, src string, o copytree.Options, want error) copytree.Result {
	t.Helper()
	r, err := within(t, dst, src, o)
	if !errors.Is(err, want) {
		t.Errorf("Copy(%q, %q) = %v; want %v", dst, src, err, want)
	}
	return r
}

// within copies, and ends the test binary with its goroutines if that hangs:
// who hangs in a system call does not hear of a context.
func within(t *testing.T, dst, src string, o copytree.Options) (copytree.Result, error) {
	t.Helper()
	alarm := time.AfterFunc(patience, func() { panic(fmt.Sprintf("Copy(%q, %q) hangs", dst, src)) })
	defer alarm.Stop()
	return copytree.Copy(t.Context(), dst, src, o)
}
