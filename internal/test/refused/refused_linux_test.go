package refused

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	conditions = flag.String("refused.by", "uring EPERM", "what is refused and with which error; several with commas")
	packages   = flag.String("refused.packages", "./cache ./internal/driver/uring", "the packages whose tests are run, or all")
	skipped    = flag.String("refused.skip", "", "tests that are not run, as -skip of go test takes them")
)

func TestMain(m *testing.M) { testenv.Main(m) }

func init() { testenv.Children["refused"] = runRefused }

// refusedEnv names what the child "refused" refuses, as -refused.by does.
const refusedEnv = "SLUICE_TEST_REFUSED"

// runRefused turns this process into a test binary for which some system calls are refused. A
// filter stays in force.
func runRefused() error {
	what := os.Getenv(refusedEnv)
	i := strings.LastIndexByte(what, ' ')
	calls, errno := testenv.Denials[what[:i]], testenv.DenialErrnos[what[i+1:]]
	if calls == nil || errno == 0 {
		return fmt.Errorf("%s=%s: unknown", refusedEnv, what)
	}
	if err := testenv.Deny(calls, errno); err != nil {
		return fmt.Errorf("no filter: %w", err)
	}
	if _, _, e := syscall.RawSyscall(uintptr(calls[0]), ^uintptr(0), 0, 0); e != errno {
		return fmt.Errorf("no filter: system call %d = %w", calls[0], e)
	}
	os.Unsetenv(testenv.ChildEnv)
	return syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
}

// TestRefused runs the tests of packages under each filter.
func TestRefused(t *testing.T) {
	var made atomic.Int64
	defer func() { t.Logf("figure: %d tests passed", made.Load()) }()
	for _, what := range strings.Split(*conditions, ",") {
		t.Run(what, func(t *testing.T) {
			list := strings.Fields(*packages)
			if *packages == "all" {
				list = library(t)
			}
			args := []string{"test", "-count=1", "-json", "-timeout=60m", "-skip=" + *skipped, "-exec=" + self(t)}
			dir := places.Disk(t)
			// Some tests have children of other users.
			if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", append(args, list...)...)
			cmd.Dir = filepath.Join("..", "..", "..")
			cmd.Env = append(os.Environ(), testenv.ChildEnv+"=refused", refusedEnv+"="+what, "TMPDIR="+dir,
				skip.RequireEnv+"=", skip.FileEnv+"=") // tests may lack the refused calls here
			out, err := cmd.CombinedOutput()
			if bytes.Contains(out, []byte("no filter: ")) {
				skip.For(t, skip.Seccomp, "this system has no seccomp filters")
			}
			n, failures := results(out)
			if err != nil {
				t.Errorf("%v: %s", err, failures)
			}
			if n["pass"] == 0 {
				t.Error("no test has passed")
			}
			made.Add(int64(n["pass"]))
			t.Logf("%d tests of %d packages passed, %d were skipped", n["pass"], len(list), n["skip"])
		})
	}
}

// self returns the name of this test binary.
func self(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		skip.For(t, skip.Go, "no go command to build the tests of other packages: ", err)
	}
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// notLibrary matches packages with tests that make no I/O by the library: documents, programs, and
// packages that run tests.
var notLibrary = regexp.MustCompile(`/(docs|examples|cmd|bench|integrations|internal/test/(apidoc|refused))(/|$)`)

// library returns the packages of the library and of copytree that have tests.
func library(t *testing.T) (list []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", "./...", "./copytree/...")
	cmd.Dir = filepath.Join("..", "..", "..")
	out, err := cmd.Output()
	if err != nil {
		wrong := new(exec.ExitError)
		errors.As(err, &wrong)
		t.Fatalf("go list: %v: %s", err, wrong.Stderr)
	}
	for _, p := range strings.Fields(string(out)) {
		if !notLibrary.MatchString(p) {
			list = append(list, p)
		}
	}
	return list
}

// results returns how many tests and subtests have ended in each way, and the output of failed
// ones. out is the output of go test -json.
func results(out []byte) (n map[string]int, failures string) {
	n = make(map[string]int)
	said := make(map[string]string) // the output by test
	var wrong strings.Builder
	for line := range bytes.Lines(out) {
		var event struct{ Action, Package, Test, Output string }
		if json.Unmarshal(line, &event) != nil {
			wrong.Write(line) // an error of the go command
			continue
		}
		name := event.Package + " " + event.Test
		switch event.Action {
		case "output", "build-output":
			said[name] += event.Output
			continue
		case "fail":
			wrong.WriteString(said[name])
			if event.Test == "" { // a test that has ended its process has no event
				for other, text := range said {
					if strings.HasPrefix(other, event.Package+" ") && other != name {
						wrong.WriteString(text)
					}
				}
			}
		}
		if event.Test != "" {
			n[event.Action]++
		}
		delete(said, name)
	}
	return n, wrong.String()
}
