package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sluiceio/sluice/bench/machine"
	"github.com/sluiceio/sluice/cmd/sluice/internal/front"
	"github.com/sluiceio/sluice/cmd/sluice/internal/signals"
	"github.com/sluiceio/sluice/cmd/sluice/internal/top"
)

// forgivingEnv is the variable of a command that forgives further signals for an hour after the
// first one.
const forgivingEnv = "SLUICE_TEST_FORGIVING"

// TestMain makes `sluice` a command of the scripts and of their child processes, with sluice-tools
// beside it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sluice": front.Main, "sluice-tools": func() {
		patience, top.AskTime = time.Hour, time.Hour
		if os.Getenv(forgivingEnv) != "" {
			signals.Grace = time.Hour
		}
		main()
	}})
}

// TestScripts runs testdata/script: each file tests something that users rely on.
func TestScripts(t *testing.T) {
	runScripts(t, testscript.Params{
		Dir:  "script",
		Cmds: commands,
		Setup: func(env *testscript.Env) error {
			// The directory of sluice and sluice-tools, which holds nothing else, comes first.
			env.Setenv("SELF", filepath.SplitList(env.Getenv("PATH"))[0])
			return nil
		},
		Condition: condition,
	})
}

// condition evaluates the conditions of scripts: [root], the script runs as root; [disk],
// its files are on a disk that the system knows; [shm], /dev/shm is on tmpfs; [mount], it can
// mount file systems that go away with it.
func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "disk":
		_, err := deviceOf(os.TempDir())
		return err == nil, nil
	case "shm":
		return machine.Describe("/dev/shm").InMemory(), nil
	case "mount":
		return exec.Command("unshare", "-m", "mount", "-t", "tmpfs", "none", os.TempDir()).Run() == nil, nil
	}
	return false, fmt.Errorf("no condition %q", name)
}

// commands are the scripts' commands besides testscript's own.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"status": status,
	"empty":  empty,
}

// status runs a command, and checks its exit status. If that is not 0 it checks that stderr
// has one line: status 2 sluice bench nonsense.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status code command [arg...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit status is %d; want %s", code, args[0])
	}
	if text := ts.ReadFile("stderr"); code != 0 && (strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "sluice: ")) {
		ts.Fatalf("stderr is %q; want one line that begins with sluice:", text)
	}
}

// empty checks that a directory is empty.
func empty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: empty directory")
	}
	left, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, entry := range left {
		ts.Fatalf("%s is left in %s", entry.Name(), args[0])
	}
}
