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

// childEnv is the variable with the name of the child program that the test binary is
// to run.
const childEnv = "SLUICE_TEST_CHILD"

// patience is after how long a copy counts as hanging.
const patience = 2 * time.Minute

// children are programs that need a process of their own: with limits, or as another
// user. They print their results; an error ends them with status 1.
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

// child runs a child program with env added. It returns its output, and reports
// whether its status was 0. If it was not, the output of the Go runtime follows.
// Otherwise that is left out: with -coverpkg, a child that runs as user nobody prints
// that it cannot write its counts. A child that hangs prints its goroutines.
func child(t *testing.T, name string, env ...string) (out string, ok bool) {
	t.Helper()
	if children[name] == nil {
		t.Fatalf("no child %q", name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	self, err := os.Executable() // the test has another current directory
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

// copied copies, and fails the test if there is an error or no end.
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

// within copies. If that hangs, it ends the test binary and prints the goroutines: a
// goroutine that hangs in a system call does not react to a context.
func within(t *testing.T, dst, src string, o copytree.Options) (copytree.Result, error) {
	t.Helper()
	alarm := time.AfterFunc(patience, func() { panic(fmt.Sprintf("Copy(%q, %q) hangs", dst, src)) })
	defer alarm.Stop()
	return copytree.Copy(t.Context(), dst, src, o)
}
