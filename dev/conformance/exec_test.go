package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestInner is the test that TestExec runs, in the same binary.
func TestInner(t *testing.T) {
	t.Logf("mark %q, args %q", os.Getenv("CONFORMANCE_MARK"), os.Args[1:])
}

// TestExec checks that the program of -exec runs a side. It must get the binary, its arguments, and
// the environment without the variables of sluice.
func TestExec(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		skip.For(t, skip.Shell, "there is no shell: ", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CONFORMANCE_MARK", "given")
	t.Setenv("SLUICE_DRIVER", "none")
	dir, temp := t.TempDir(), t.TempDir()
	s := side{
		binary: self, dir: dir, temp: temp, args: []string{"-test.short"},
		exec: []string{sh, "-c", `echo "by $1, $SLUICE_DRIVER; $PWD; $TMPDIR"; shift; exec "$@"`, "sh", "this one"},
	}
	r, err := s.run(t.Context(), "^TestInner$", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if r.outcome["TestInner"] != "PASS" || r.outcome[whole] != "PASS" || len(r.outcome) != 2 {
		t.Errorf("outcome %v; want TestInner passed, and the whole", map[string]string(r.outcome))
	}
	if got, want := r.said[""], "by this one, ; "+dir+"; "+temp; !strings.HasPrefix(got, want) {
		t.Errorf("the program said %q; want %q …", got, want)
	}
	for _, want := range []string{`mark "given"`, `"-test.short" "-test.run=^TestInner$"`} {
		if !strings.Contains(r.said["TestInner"], want) {
			t.Errorf("the test said %q; want %s in it", r.said["TestInner"], want)
		}
	}

	s.exec = []string{sh, "-c", "exit 3"}
	if r, err := s.run(t.Context(), "^TestInner$", time.Minute); err != nil || r.outcome[whole] != "FAIL" {
		t.Errorf("of a program that fails came %v, %v", r, err)
	}
	s.exec = []string{filepath.Join(dir, "none")}
	if _, err := s.run(t.Context(), "^TestInner$", time.Minute); err == nil {
		t.Error("there is no error of a program that is not there")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s.exec = []string{sh, "-c", "sleep 60"}
	if _, err := s.run(ctx, "^TestInner$", time.Minute); err == nil {
		t.Error("there is no error after the end")
	}
}

// TestXprog checks that the program of -exec is found in PATH, or from this directory.
func TestXprog(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "prog.exe")
	if err := os.WriteFile(name, nil, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, value := range []string{name + " -n  19", "./prog.exe -n 19"} {
		got, err := xprog(value)
		if want := []string{name, "-n", "19"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("xprog(%q) = %q, %v; want %q", value, got, err, want)
		}
	}
	if got, err := xprog(" "); got != nil || err != nil {
		t.Errorf("xprog of nothing = %q, %v", got, err)
	}
	if _, err := xprog("./none"); err == nil {
		t.Error("there is no error of a program that is not there")
	}
}
