package skip

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const actEnv = "SLUICE_TEST_SKIP" // the reason for which TestAct skips

// TestAct is the test that other tests run in a new process to let it skip.
func TestAct(t *testing.T) {
	switch os.Getenv(actEnv) {
	case "":
		For(t, Case, "a part of TestFor")
	case "uring":
		For(t, Uring, "no ring", ", really: ", os.ErrPermission)
	case "short":
		Forf(t, Short, "it takes %d minutes", 2)
	}
	t.Error("a skip has returned")
}

// act runs TestAct and returns its output. result is "PASS", "SKIP" or "FAIL".
func act(t *testing.T, name string, env ...string) (out, result string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAct$", "-test.v")
	cmd.Env = append(os.Environ(), actEnv+"="+name, RequireEnv+"=", FileEnv+"=")
	cmd.Env = append(cmd.Env, env...)
	text, err := cmd.CombinedOutput()
	out = string(text)
	for _, result := range []string{"PASS", "SKIP", "FAIL"} {
		if strings.Contains(out, "--- "+result+": TestAct") {
			if failed := err != nil; failed != (result == "FAIL") {
				t.Errorf("%s, but the process ended with %v", result, err)
			}
			return out, result
		}
	}
	t.Fatalf("no result: %v\n%s", err, out)
	return "", ""
}

func TestFor(t *testing.T) {
	for _, c := range []struct{ name, require, result, says string }{
		{"uring", "", "SKIP", "uring: no ring, really: permission denied"},
		{"uring", "root,aio", "SKIP", "uring: no ring"},
		{"uring", "uring", "FAIL", "SLUICE_REQUIRE requires uring (io_uring): no ring, really: permission denied"},
		{"uring", " root , uring,", "FAIL", "SLUICE_REQUIRE requires uring (io_uring)"},
		{"uring", "urign", "FAIL", `SLUICE_REQUIRE names "urign"; what it may name: uring, aio, `},
		{"short", "uring", "SKIP", "short: it takes 2 minutes"},
		{"short", "short", "FAIL", `SLUICE_REQUIRE names "short"; what it may name: uring, aio, `},
	} {
		out, result := act(t, c.name, RequireEnv+"="+c.require)
		if result != c.result || !strings.Contains(out, c.says) || !strings.Contains(out, "skip_test.go:") {
			t.Errorf("for %s, with SLUICE_REQUIRE=%s: %s; want %s with %q, at a line of this file\n%s",
				c.name, c.require, result, c.result, c.says, out)
		}
	}
}

func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "skips")
	if out, result := act(t, "uring", FileEnv+"="+file); result != "FAIL" || !strings.Contains(out, "SLUICE_SKIPS: open ") {
		t.Errorf("without the file: %s; want FAIL, and why\n%s", result, out)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	act(t, "uring", FileEnv+"="+file)
	act(t, "uring", FileEnv+"="+file, RequireEnv+"=uring") // fails and does not skip
	act(t, "short", FileEnv+"="+file)
	got, err := os.ReadFile(file)
	want := "uring\tio_uring\tinternal/test/skip\tTestAct\tno ring, really: permission denied\n" +
		"short\tnot with -short\tinternal/test/skip\tTestAct\tit takes 2 minutes\n"
	if err != nil || string(got) != want {
		t.Errorf("the file has %q, %v; want %q", got, err, want)
	}
}

func TestCheck(t *testing.T) {
	t.Setenv(RequireEnv, "uring,xfs")
	if err := Check(); err != nil {
		t.Error(err)
	}
	t.Setenv(RequireEnv, "uring,case")
	if err := Check(); err == nil {
		t.Error("Check of a reason that cannot be required = nil; want an error")
	}
}

func TestReasonsDiffer(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range reasons {
		if seen[r.name] || strings.ContainsAny(r.name, ", \t") || r.means == "" {
			t.Errorf("%q (%s): the name is there twice, has a comma or a space, or means nothing", r.name, r.means)
		}
		seen[r.name] = true
	}
}
