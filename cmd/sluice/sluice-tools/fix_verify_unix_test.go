//go:build unix

package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// verified is a program whose test, once it is changed, says so in the file MARK and waits for
// the file END.
var verified = map[string]string{
	"go.mod": "module example.com/prog\n\ngo 1.25\n",
	"main.go": `package prog

import "os"

func read(name string) ([]byte, error) { return os.ReadFile(name) }
`,
	"main_test.go": `package prog

import (
	"bytes"
	"os"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	text, err := read("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("sluice.")) {
		return
	}
	if err := os.Mkdir(os.Getenv("MARK"), 0o777); err != nil {
		t.Fatal(err)
	}
	for range 6000 {
		if _, err := os.Stat(os.Getenv("END")); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
`,
}

// verifying is a run of `sluice fix -verify` on that program, stopped in the tests after the
// change.
type verifying struct {
	t         *testing.T
	dir       string
	mark, end string
	env       []string
	cmd       *exec.Cmd
	ended     chan struct{} // closed when cmd has ended
	stderr    bytes.Buffer
}

func startVerify(t *testing.T) *verifying {
	t.Helper()
	places := goPlaces(t)
	tree, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v := &verifying{t: t, dir: filepath.Join(temp, "prog"), mark: filepath.Join(temp, "mark"), end: filepath.Join(temp, "end")}
	if err := os.Mkdir(v.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range verified {
		if err := os.WriteFile(filepath.Join(v.dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	v.env = append(os.Environ(), "MARK="+v.mark, "END="+v.end, "SLUICE_SOURCE="+tree, "GOWORK=off", "GOFLAGS=-buildvcs=false",
		"XDG_CACHE_HOME="+filepath.Join(temp, "cache"), "HOME="+temp)
	for name, place := range places {
		v.env = append(v.env, name+"="+place)
	}
	t.Cleanup(func() { _ = os.WriteFile(v.end, nil, 0o666) }) // ends the test if it still runs
	v.cmd = v.command("-verify")
	v.cmd.Stderr = &v.stderr
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	v.ended = make(chan struct{})
	go func() {
		_ = v.cmd.Wait() // the status is checked
		close(v.ended)
	}()
	for {
		if _, err := os.Stat(v.mark); err == nil {
			return v
		}
		select {
		case <-v.ended:
			t.Fatalf("sluice fix ended before the tests after the change: %s", &v.stderr)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (v *verifying) command(args ...string) *exec.Cmd {
	cmd := exec.Command("sluice", append([]string{"fix"}, args...)...)
	cmd.Dir, cmd.Env = v.dir, append(v.env, "PWD="+v.dir)
	return cmd
}

// same checks that the program is as it was, with no file beside.
func (v *verifying) same() {
	v.t.Helper()
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		v.t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(v.dir, e.Name()))
		if err != nil {
			v.t.Fatal(err)
		}
		if want, ok := verified[e.Name()]; !ok || string(text) != want {
			v.t.Errorf("%s is left as %q; want %q", e.Name(), text, want)
		}
		if info, err := e.Info(); err != nil || info.Mode() != fs.FileMode(0o640) {
			v.t.Errorf("the mode of %s is %v, %v; want -rw-r-----", e.Name(), info.Mode(), err)
		}
	}
	if len(entries) != len(verified) {
		v.t.Errorf("%d files are left; want %d", len(entries), len(verified))
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(v.dir), "*", "sluice", "fix", "*")); len(left) > 0 {
		v.t.Errorf("the backup is left: %q", left)
	}
}

// TestVerifyInterrupted sends SIGINT, as Ctrl-C does.
func TestVerifyInterrupted(t *testing.T) {
	v := startVerify(t)
	if err := v.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-v.ended
	if got := v.cmd.ProcessState.ExitCode(); got != 128+int(syscall.SIGINT) {
		t.Errorf("exit status %d; want 130", got)
	}
	if got := v.stderr.String(); !strings.HasSuffix(got, "sluice: fix: interrupted; everything was taken back\n") {
		t.Errorf("stderr is %q", got)
	}
	v.same()
}

// TestVerifyKilled kills the command, and takes its changes back afterwards. What somebody has
// changed in between stays.
func TestVerifyKilled(t *testing.T) {
	v := startVerify(t)
	if err := v.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-v.ended
	if err := os.WriteFile(v.end, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(v.dir, "main.go")
	changed, err := os.ReadFile(main)
	if err != nil || !bytes.Contains(changed, []byte("sluice.ReadFile")) {
		t.Fatalf("main.go is %q, %v; want it changed", changed, err)
	}
	for _, args := range [][]string{nil, {"-verify"}} {
		out, err := v.command(args...).CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte("sluice fix -undo takes its changes back from ")) {
			t.Errorf("sluice fix %q prints %q, %v; want how to undo", args, out, err)
		}
	}

	edited := append(bytes.Clone(changed), "\n// edited\n"...)
	if err := os.WriteFile(main, edited, 0o640); err != nil {
		t.Fatal(err)
	}
	out, err := v.command("-undo").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("main.go has changed since sluice fix wrote it, and was left as it is; its old text is ")) {
		t.Errorf("-undo of an edited file prints %q, %v; want an error", out, err)
	}
	if got, _ := os.ReadFile(main); !bytes.Equal(got, edited) {
		t.Errorf("the edited file is %q", got)
	}

	if err := os.WriteFile(main, changed, 0o640); err != nil {
		t.Fatal(err)
	}
	if out, err := v.command("-undo").CombinedOutput(); err != nil || !bytes.HasPrefix(out, []byte("took back the changes; ")) {
		t.Errorf("-undo prints %q, %v", out, err)
	}
	v.same()
}
