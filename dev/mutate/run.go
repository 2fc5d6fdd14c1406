package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The results of a mutation.
const (
	killed   = "killed"
	survived = "SURVIVED"
	broken   = "does not compile"
)

// errLimit is the result of tests that have not ended in time.
var errLimit = errors.New("the tests did not end in time")

// runner runs tests on mutations.
type runner struct {
	dir     string        // for overlays, binaries and the tests' temporary files
	all     []*pkg        // all packages of the library
	covered []string      // packages whose statements baselines count
	bound   time.Duration // for the tests of one mutation
	seed    uint64        // seed of the random tests

	mu        sync.Mutex
	baselines map[*pkg]*baseline
}

// judge returns the result of a mutation, and the package whose tests decided it.
func (r *runner) judge(ctx context.Context, m mutation) (state, by string, err error) {
	dir, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir, m)
	if err != nil {
		return "", "", err
	}
	if !compiles(ctx, m.pkg, overlay) {
		return broken, "", ctx.Err()
	}
	for _, which := range []selection{quickTests, longTests, allTests} {
		if state, by, err = r.runAll(ctx, m, overlay, which); state != survived || err != nil {
			break
		}
	}
	return state, by, err
}

// selection says which tests to run on a mutation. The quick ones find most, so they come first.
type selection int

const (
	quickTests selection = iota // tests that reach the statement and take at most quickTime
	longTests                   // tests that reach it and take longer
	allTests
)

const quickTime = time.Second

// runAll runs the selected tests of the packages that contain the changed one, until one fails or
// there is no time for more. The results are judge's.
func (r *runner) runAll(ctx context.Context, m mutation, overlay string, which selection) (state, by string, err error) {
	left := r.bound
	var ran []string
	for _, p := range testsOf(m.pkg, r.all) {
		base := r.baselineOf(ctx, p)
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		tests := base.tests
		switch which {
		case quickTests:
			tests, _ = split(base.reach(m), quickTime)
		case longTests:
			_, tests = split(base.reach(m), quickTime)
		}
		if p != m.pkg {
			tests = fitting(tests, left, which != allTests)
		}
		if len(tests) == 0 {
			continue
		}
		took := total(tests)
		left -= took
		// The limit kills a test that hangs. It is wide, because the machine may have other work.
		_, err := r.run(ctx, p, overlay, names(tests), 4*took+30*time.Second)
		switch {
		case ctx.Err() != nil:
			return "", "", ctx.Err()
		case errors.Is(err, errLimit):
			return killed, p.rel() + " (time limit)", nil
		case err != nil:
			return killed, p.rel(), nil
		}
		ran = append(ran, "./"+p.rel())
	}
	return survived, strings.Join(ran, " "), nil
}

// writeOverlay writes the file for go build -overlay.
func writeOverlay(dir string, m mutation) (name string, err error) {
	text, err := m.apply()
	if err != nil {
		return "", err
	}
	mutant, name := filepath.Join(dir, m.file), filepath.Join(dir, "overlay.json")
	replace := map[string]map[string]string{"Replace": {filepath.Join(m.pkg.Dir, m.file): mutant}}
	list, err := json.Marshal(replace)
	if err != nil {
		return "", err
	}
	return name, errors.Join(os.WriteFile(mutant, text, 0o644), os.WriteFile(name, list, 0o644))
}

func compiles(ctx context.Context, p *pkg, overlay string) bool {
	return exec.CommandContext(ctx, "go", "build", "-overlay", overlay, p.ImportPath).Run() == nil
}

// run builds and runs tests of p with an overlay. The error is nil if all pass. The first failure
// ends them.
func (r *runner) run(ctx context.Context, p *pkg, overlay string, tests []string, limit time.Duration) (string, error) {
	dir, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	binary, out, err := build(ctx, p, dir, "-overlay", overlay)
	if err != nil {
		return out, err
	}
	return r.exec(ctx, p, binary, dir, limit, "-test.failfast", "-test.run=^("+strings.Join(tests, "|")+")$")
}

// build builds the tests of p in dir.
func build(ctx context.Context, p *pkg, dir string, args ...string) (binary, out string, err error) {
	binary = filepath.Join(dir, "tests")
	args = append([]string{"test", "-c", "-o", binary}, args...)
	text, err := exec.CommandContext(ctx, "go", append(args, p.ImportPath)...).CombinedOutput()
	return binary, string(text), err
}

// exec runs the tests of p, with dir for temporary files, and returns their output.
func (r *runner) exec(ctx context.Context, p *pkg, binary, dir string, limit time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append([]string{"-test.short", "-test.timeout=0"}, args...)...)
	cmd.Dir, cmd.WaitDelay = p.Dir, time.Second
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, fmt.Sprintf("SLUICE_SEED=%d", r.seed))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := confine(cmd, dir); err != nil {
		return "", err
	}
	err := cmd.Run()
	if ctx.Err() != nil {
		err = errLimit
	}
	return out.String(), err
}

// tail returns the end of a test's output.
func tail(s string) string { return s[max(0, len(s)-1000):] }
