package sluice_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childEnv names the part of the test binary that a child process plays.
const childEnv = "SLUICE_TEST_CHILD"

// children are programs that need a process of their own. They print what
// they have to say; a non-nil error ends them with status 1.
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

// child runs a child with env added, and returns what it printed and whether
// its status was 0.
func child(t *testing.T, name string, env ...string) (out string, ok bool) {
	t.Helper()
	if children[name] == nil {
		t.Fatalf("no child %q", name)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	cmd.Env = append(cmd.Env, env...)
	b, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(b)), err == nil
}
