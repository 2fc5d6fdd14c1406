package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestCpAsGNU runs the scenes with GNU cp and with sluice cp, and compares the status, the
// messages and the resulting files.
func TestCpAsGNU(t *testing.T) {
	version, self := gnuVersion(), ownCommand(t)
	for file, scenes := range loadScenes(t) {
		for _, s := range scenes {
			t.Run(file+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				testScene(t, s, version, self)
			})
		}
	}
}

// ownCommand returns the name of the sluice command, which the user nobody can run, too.
func ownCommand(t *testing.T) string {
	t.Helper()
	self, err := exec.LookPath("sluice")
	if err != nil {
		t.Fatal(err)
	}
	letIn(t, filepath.Dir(self))
	return self
}

// letIn lets the user nobody into a directory of the test's.
func letIn(t *testing.T, dir string) {
	for ; dir != os.TempDir() && dir != "/dev/shm" && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// gnuVersion returns the version of cp, 0 if it is not GNU cp.
func gnuVersion() float64 {
	out, _ := exec.Command("cp", "--version").Output()
	first, _, _ := strings.Cut(string(out), "\n")
	text, ok := strings.CutPrefix(first, "cp (GNU coreutils) ")
	if !ok {
		return 0
	}
	version, _ := strconv.ParseFloat(text, 64)
	return version
}

func testScene(t *testing.T, s scene, version float64, self string) {
	root := os.Geteuid() == 0
	switch {
	case s.as == "root" && !root:
		skip.For(t, skip.Root, "takes root")
	case !s.differs && (version == 0 || version < min(s.since, 9.1)):
		skip.Forf(t, skip.GNU, "cp is GNU's %v; want %v", version, max(s.since, 1))
	case !s.differs && version < s.since:
		skip.Forf(t, skip.NewGNU, "cp is GNU's %v; want %v", version, s.since)
	}
	ours, oursAt := play(t, s, self+" cp")
	if s.differs {
		if !slices.Equal(ours, s.want) {
			t.Errorf("%ssluice cp:\n%s\nwant:\n%s", s.run, indent(ours), indent(s.want))
		}
		return
	}
	gnu, gnuAt := play(t, s, "command cp")
	if !slices.Equal(ours, gnu) {
		t.Errorf("%ssluice cp:\n%s\nGNU cp:\n%s", s.run, indent(ours), indent(gnu))
	}
	sameTrees(t, snapshot(t, oursAt), snapshot(t, gnuAt))
}

// hangs is the time after which a scene fails. A scene takes a few milliseconds.
const hangs = 3 * time.Minute

// play runs a scene in a new directory with command as cp, and returns its output and the
// directory. $CP is the command, for shells that the scene starts.
func play(t *testing.T, s scene, command string) (output []string, dir string) {
	t.Helper()
	dir, err := os.MkdirTemp(s.place, "cp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "umask 022\n"+s.setup+"\ncp() { $CP \"$@\"; }\n"+s.run)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Dir = dir
	cmd.Env = []string{"CP=" + command, "PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=/"}
	if s.as == "nobody" && os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	out, err := cmd.CombinedOutput()
	if _, ended := err.(*exec.ExitError); ctx.Err() != nil || err != nil && !ended {
		t.Fatalf("%s%v, %v", s.run, err, ctx.Err())
	}
	text := strings.NewReplacer("sluice cp", "cp", dir, "DIR").Replace(string(out))
	output = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(output)
	return output, dir
}

// removeAll removes what a scene has made. A directory may be closed to its owner, and dir itself a
// link by now.
func removeAll(dir string) {
	_ = exec.Command("sh", "-c", `test -L "$0" || chmod -R u+rwx "$0"; rm -rf "$0"`, dir).Run()
}

func indent(lines []string) string { return "\t" + strings.Join(lines, "\n\t") }

// sameTrees reports the differences of two snapshots as errors of the test.
func sameTrees(t *testing.T, ours, gnu map[string]string) {
	t.Helper()
	names := map[string]bool{}
	for name := range ours {
		names[name] = true
	}
	for name := range gnu {
		names[name] = true
	}
	for name := range names {
		if ours[name] != gnu[name] {
			t.Errorf("%q: sluice cp made %s; GNU cp %s", name, orNothing(ours[name]), orNothing(gnu[name]))
		}
	}
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return fmt.Sprintf("{%s}", text)
}
