package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// program is a module that is rewritten.
type program struct {
	name, what, module string   // module has a version
	packages           []string // packages whose tests are run; none means all
	siblings           []string // modules that its go.mod replaces by directories beside it
}

var programs = []*program{
	{name: "lumberjack", what: "log files with rotation", module: "gopkg.in/natefinch/lumberjack.v2@v2.2.1"},
	{name: "wal", what: "write-ahead log", module: "github.com/tidwall/wal@v1.2.1"},
	{name: "buntdb", what: "key-value store", module: "github.com/tidwall/buntdb@v1.3.0"},
	{name: "diskv", what: "key-value store, a file a key", module: "github.com/peterbourgon/diskv/v3@v3.0.1"},
	{name: "age", what: "encryption of files, command", module: "filippo.io/age@v1.2.1"},
	{
		// The tests of package leveldb take minutes. Package storage has all its files.
		name: "goleveldb", what: "key-value store", module: "github.com/syndtr/goleveldb@v1.0.1-0.20220721030215-126854af5e6d",
		packages: []string{"./leveldb/storage", "./leveldb/journal", "./leveldb/table", "./leveldb/util"},
	},
	{
		name: "etcd", what: "key-value store, server", module: "go.etcd.io/etcd/server/v3@v3.7.3",
		packages: []string{"./storage/..."},
		siblings: []string{
			"go.etcd.io/etcd/api/v3", "go.etcd.io/etcd/client/pkg/v3",
			"go.etcd.io/etcd/client/v3", "go.etcd.io/etcd/pkg/v3",
		},
	},
}

// workplace is the directory in which programs are rewritten.
type workplace struct {
	source string // the root of sluice's module
	dir    string
	sluice string // the command
}

// outcome is the result of a program.
type outcome struct {
	*program
	fixed         *fixed
	goline        string // the Go version in go.mod, before and after
	before, after results
	differ        []string // tests whose results differ
}

// results are the results of tests: pass, fail or skip by package and name.
type results map[string]string

func (r results) count(result string) int {
	n := 0
	for _, is := range r {
		if is == result {
			n++
		}
	}
	return n
}

// try rewrites a program and runs its tests before and after.
func (w *workplace) try(ctx context.Context, p *program) (*outcome, error) {
	tree, err := w.fetch(ctx, p)
	if err != nil {
		return nil, err
	}
	o := &outcome{program: p}
	say("%s: its tests", p.name)
	if o.before, err = testTwice(ctx, tree, p.packages); err != nil {
		return nil, err
	}
	say("%s: sluice fix", p.name)
	if o.fixed, err = w.fix(ctx, tree); err != nil {
		return nil, err
	}
	before, err := goLine(ctx, tree)
	if err != nil {
		return nil, err
	}
	if _, err := command(ctx, tree, "go", "mod", "edit", "-require=github.com/sluiceio/sluice@v0.0.0",
		"-replace=github.com/sluiceio/sluice="+w.source, "-go=1.26"); err != nil {
		return nil, err
	}
	if _, err := command(ctx, tree, "go", "build", "./..."); err != nil {
		return nil, err
	}
	after, err := goLine(ctx, tree)
	if err != nil {
		return nil, err
	}
	o.goline = before + ", " + after
	say("%s: its tests, rewritten", p.name)
	if o.after, err = testTwice(ctx, tree, p.packages); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(o.before)) {
		if o.before[name] != o.after[name] {
			o.differ = append(o.differ, fmt.Sprintf("%s: %s, then %s", name, o.before[name], o.after[name]))
		}
	}
	again, err := w.fix(ctx, tree)
	if err == nil && again.files > 0 {
		err = errors.New("sluice fix finds something to change in what it has changed")
	}
	return o, err
}

// fetch downloads the program, and returns a copy of its tree.
func (w *workplace) fetch(ctx context.Context, p *program) (string, error) {
	text, err := command(ctx, w.dir, "go", "mod", "download", "-json", p.module)
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return "", err
	}
	tree := filepath.Join(w.dir, p.name)
	if _, err := command(ctx, "", "cp", "-r", module.Dir, tree); err != nil {
		return "", err
	}
	if _, err = command(ctx, "", "chmod", "-R", "u+w", tree); err != nil {
		return "", err
	}
	return tree, p.useReleases(ctx, tree)
}

// useReleases lets go.mod take the releases of its siblings, which are not in the tree.
func (p *program) useReleases(ctx context.Context, tree string) error {
	if len(p.siblings) == 0 {
		return nil
	}
	args := []string{"mod", "edit", "-toolchain=none"}
	for _, name := range p.siblings {
		args = append(args, "-dropreplace="+name)
	}
	_, err := command(ctx, tree, "go", args...)
	return err
}

// testTwice runs the tests of packages, and once more if one fails: some tests fail at times.
func testTwice(ctx context.Context, tree string, packages []string) (results, error) {
	r, err := test(ctx, tree, packages)
	if err == nil && r.count("fail") > 0 {
		say("%d failed; once more", r.count("fail"))
		r, err = test(ctx, tree, packages)
	}
	return r, err
}

// test runs the tests of packages.
func test(ctx context.Context, tree string, packages []string) (results, error) {
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	args := []string{"test", "-json", "-count=1", "-timeout=20m", "-vet=off"}
	out, err := command(ctx, tree, "go", append(args, packages...)...)
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && (!failed || out == "") {
		return nil, err
	}
	r := make(results)
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		switch {
		case e.Action == "build-fail":
			return nil, fmt.Errorf("the tests do not build: %w", err)
		case e.Test != "" && slices.Contains([]string{"pass", "fail", "skip"}, e.Action):
			r[e.Package+" "+e.Test] = e.Action
		case e.Test == "" && e.Action == "fail":
			r[e.Package] = "fail"
		}
	}
	if len(r) == 0 {
		return nil, errors.New("there are no tests")
	}
	return r, lines.Err()
}

// goLine returns the version in the line "go" of go.mod.
func goLine(ctx context.Context, tree string) (string, error) {
	out, err := command(ctx, tree, "go", "list", "-m", "-f", "{{.GoVersion}}")
	return strings.TrimSpace(out), err
}

func environment() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false -mod=mod")
}

// command runs a command and returns its standard output, even if it fails.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, environment()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), err
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
