package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestFewDescriptors starts the command with hard limits of open files from the least with which
// a shell starts it. The command must do its work, or say in one line that it cannot.
func TestFewDescriptors(t *testing.T) {
	t.Chdir(t.TempDir())
	const least, most = 4, 40
	worked := 0
	for limit := least; limit <= most; limit++ {
		for _, command := range []string{"sluice version", "sluice cp /proc/self/status copy"} {
			out, err := exec.Command("sh", "-c", fmt.Sprintf("ulimit -n %d && exec %s", limit, command)).CombinedOutput()
			exit, failed := errors.AsType[*exec.ExitError](err)
			switch text := string(out); {
			case err == nil:
				worked++
			case !failed:
				t.Fatal(err)
			case exit.ExitCode() != 1 || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "sluice"):
				t.Errorf("%s with %d descriptors: %v, %q; want status 1 and one line", command, limit, err, text)
			}
		}
	}
	if worked == 0 {
		t.Errorf("with up to %d descriptors nothing works", most)
	}
}
