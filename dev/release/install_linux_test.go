//go:build amd64 || arm64

package main

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"

	"github.com/sluiceio/sluice/dev/internal/workspace"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// installed is the program's path for go install.
const installed = "github.com/sluiceio/sluice/cmd/sluice"

// TestInstall installs the command by go install from a module proxy made of files, outside of the
// tree, as a user does. Then it builds a program with it, and one with module copytree.
func TestInstall(t *testing.T) {
	w, err := workspace.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	version, err := w.Version()
	if err != nil {
		t.Fatal(err)
	}
	haveModules(t, installed+"/sluice-tools")
	dir := t.TempDir()
	if err := w.Proxy(t.Context(), filepath.Join(dir, "proxy"), version); err != nil {
		t.Fatal(err)
	}
	env, err := workspace.Environment(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	user := newUser(t, env)
	bin := t.TempDir()
	user.run(t, map[string]string{"GOBIN": bin}, "go", "install", installed+"@"+version)
	exe := filepath.Join(bin, "sluice")
	if got, want := user.run(t, nil, exe, "version"), "sluice "+version+" go1."; !strings.HasPrefix(got, want) {
		t.Errorf("version: %q; want %q", got, want)
	}
	user.buildTools(t, exe, version)
	getCopytree(t, env, version)
	// Without its build directory, the command asks for its version of the library, like a command
	// that was built with -trimpath or on another machine.
	if err := os.RemoveAll(filepath.Join(env["GOMODCACHE"], "github.com", "sluiceio")); err != nil {
		t.Fatal(err)
	}
	user.build(t, exe, "build")
	if err := os.RemoveAll(env["GOMODCACHE"]); err != nil {
		t.Fatal(err)
	}
	user.buildWithout(t, exe, version)
}

// getCopytree adds module copytree to a program by go get. The program then only needs the library
// and golang.org/x.
func getCopytree(t *testing.T, env map[string]string, version string) {
	t.Helper()
	user := newUser(t, env)
	const program = `package main

import (
	"context"
	"os"

	"github.com/sluiceio/sluice/copytree"
)

func main() {
	if _, err := copytree.Copy(context.Background(), os.Args[2], os.Args[1], copytree.Options{}); err != nil {
		panic(err)
	}
}
`
	if err := os.WriteFile(filepath.Join(user.dir, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	user.run(t, nil, "go", "get", "github.com/sluiceio/sluice/copytree@"+version)
	user.run(t, nil, "go", "run", ".", "go.mod", "copy")
	for _, name := range []string{"go.mod", "copy"} {
		text, err := os.ReadFile(filepath.Join(user.dir, name))
		if err != nil || !strings.Contains(string(text), "github.com/sluiceio/sluice/copytree "+version) {
			t.Errorf("%s is %q, %v; want the requirement of copytree", name, text, err)
		}
	}
	for module := range strings.Lines(user.run(t, nil, "go", "list", "-m", "-f={{.Path}}", "all")) {
		module = strings.TrimSpace(module)
		if module != "example.com/prog" && !strings.HasPrefix(module, "github.com/sluiceio/sluice") && !strings.HasPrefix(module, "golang.org/x/") {
			t.Errorf("the program needs %s", module)
		}
	}
}

// haveModules skips the test if the modules that packages need are not in the module cache and
// cannot be downloaded.
func haveModules(t *testing.T, packages ...string) {
	t.Helper()
	args := append([]string{"list", "-deps", "-f={{with .Module}}{{.Path}}@{{.Version}}{{end}}"}, packages...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		skip.Forf(t, skip.Go, "no go command that lists the modules of %s: %v", packages, err)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), "@")
		if version == "" { // of the standard library, or of this tree
			continue
		}
		escaped, err := module.EscapePath(path)
		if err != nil {
			t.Fatal(err)
		}
		zip := filepath.Join(strings.TrimSpace(string(cache)), "cache", "download", escaped, "@v", version+".zip")
		if _, err := os.Stat(zip); err == nil {
			continue
		}
		if out, err := exec.Command("go", "mod", "download", path+"@"+version).CombinedOutput(); err != nil {
			skip.Forf(t, skip.Proxy, "%s %s is not in the module cache, and cannot be downloaded: %s", path, version, out)
		}
	}
}

// user is a user with the command and without a tree of it.
type user struct {
	env []string
	dir string // a module with a program
}

const userProgram = `package main

import "os"

func main() {
	f, err := os.Open("go.mod")
	if err != nil {
		panic(err)
	}
	text := make([]byte, 20)
	n, _ := f.ReadAt(text, 0)
	os.Stdout.Write(text[:n])
}
`

// newUser returns a user with env added to the environment.
func newUser(t *testing.T, env map[string]string) *user {
	t.Helper()
	u := &user{env: os.Environ(), dir: t.TempDir()}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{
		"GOWORK": "", "SLUICE_SOURCE": "", "GOTOOLCHAIN": "local",
		// Of sluice-tools, and of Go
		"XDG_CACHE_HOME": t.TempDir(), "GOCACHE": strings.TrimSpace(string(cache)),
	}
	maps.Copy(all, env)
	for name, value := range all {
		u.env = append(u.env, name+"="+value)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/prog\n\ngo 1.26\n", "main.go": userProgram} {
		if err := os.WriteFile(filepath.Join(u.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

func (u *user) command(ctx context.Context, env map[string]string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = u.dir, u.env
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// run returns a command's output.
func (u *user) run(t *testing.T, env map[string]string, name string, args ...string) string {
	t.Helper()
	out, err := u.command(t.Context(), env, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// build builds the user's program with exe, an installed sluice, and runs it.
func (u *user) build(t *testing.T, exe string, args ...string) {
	t.Helper()
	prog := filepath.Join(u.dir, "prog")
	args = append(args, "-o", prog, ".")
	if got := u.run(t, nil, exe, args...); got != "" {
		t.Errorf("sluice %s prints %q; want nothing", strings.Join(args, " "), got)
	}
	got := u.run(t, map[string]string{"SLUICE_STATS": "1"}, prog)
	if !strings.HasPrefix(got, "module example.com/p") || !strings.Contains(got, "sluice: driver") {
		t.Errorf("the program prints %q; want its module, and that sluice read it", got)
	}
}

// buildTools builds the user's program with an installed sluice, which has no sluice-tools yet. It
// builds sluice-tools first, and says so.
func (u *user) buildTools(t *testing.T, exe, version string) {
	t.Helper()
	got := u.run(t, nil, exe, "help")
	said, help, _ := strings.Cut(got, "\n")
	if want := "sluice: building sluice-tools " + version + ", once, into "; !strings.HasPrefix(said, want) || !strings.HasPrefix(help, "Usage: sluice <command>") {
		t.Errorf("sluice help prints %q; want %q first, and then the help", got, want)
	}
	if got, want := u.run(t, nil, exe, "bench", "list"), "matrix "; !strings.HasPrefix(got, want) {
		t.Errorf("sluice bench list prints %q; want the experiments alone", got)
	}
	u.build(t, exe, "build")
}

// buildWithout checks the error where the library cannot be had.
func (u *user) buildWithout(t *testing.T, exe, version string) {
	t.Helper()
	env := map[string]string{"GOPROXY": "off", "GOMODCACHE": t.TempDir()}
	out, err := u.command(t.Context(), env, exe, "build", "-o", filepath.Join(u.dir, "without"), ".").CombinedOutput()
	want := "sluice: build: the source of sluice " + version + ", from which this command was built: "
	if err == nil || !strings.HasPrefix(string(out), want) || strings.Count(string(out), "\n") != 1 {
		t.Errorf("sluice build without a library: %v, %s; want one line with %q", err, out, want)
	}
}
