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
	"regexp"
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
	dir   string        // of overlays, binaries and the tests' temporary files
	all   []*pkg        // of the library
	bound time.Duration // for the tests of one mutation
	seed  uint64        // of the random tests

	mu        sync.Mutex
	baselines map[*pkg]*baseline
}

// baseline is what the tests of a package do without a mutation.
type baseline struct {
	once sync.Once
	took time.Duration
	skip []string // the tests that fail even then, as those that need root and do not know it
	ok   bool
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
	left := r.bound
	var ran []string
	for _, p := range testsOf(m.pkg, r.all) {
		base := r.baselineOf(ctx, p)
		if !base.ok || p != m.pkg && base.took > left {
			continue
		}
		left -= base.took
		// A test that hangs is killed by the limit. It is wide, because the machine may have other work.
		_, err := r.test(ctx, p, overlay, base.skip, 4*base.took+30*time.Second)
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

// writeOverlay writes the file that go build -overlay reads.
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

// baselineOf runs the tests of p without a mutation, once.
func (r *runner) baselineOf(ctx context.Context, p *pkg) *baseline {
	r.mu.Lock()
	b := r.baselines[p]
	if b == nil {
		b = new(baseline)
		r.baselines[p] = b
	}
	r.mu.Unlock()
	b.once.Do(func() {
		for range 3 {
			start := time.Now()
			out, err := r.test(ctx, p, "", b.skip, 10*time.Minute)
			b.took, b.ok = time.Since(start), err == nil
			if b.ok || ctx.Err() != nil {
				return
			}
			fmt.Printf("not used: tests of ./%s that fail without a mutation: %v: %s\n", p.rel(), err, tail(out))
			for _, m := range failure.FindAllStringSubmatch(out, -1) {
				b.skip = append(b.skip, m[1])
			}
		}
	})
	return b
}

// failure finds a test, not a subtest, that has failed.
var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// test builds and runs the tests of p, without those of skip, and returns what they print. The error is nil if
// all have passed. With an overlay the first failure ends them.
func (r *runner) test(ctx context.Context, p *pkg, overlay string, skip []string, limit time.Duration) (string, error) {
	dir, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "tests")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", overlay, "-o", binary, p.ImportPath)
	if out, err := build.CombinedOutput(); err != nil {
		return string(out), err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.short", "-test.timeout=0")
	if overlay != "" {
		cmd.Args = append(cmd.Args, "-test.failfast")
	}
	if len(skip) > 0 {
		cmd.Args = append(cmd.Args, "-test.skip=^("+strings.Join(skip, "|")+")$")
	}
	cmd.Dir, cmd.WaitDelay = p.Dir, time.Second
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, fmt.Sprintf("SLUICE_SEED=%d", r.seed))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := confine(cmd, dir); err != nil {
		return "", err
	}
	err = cmd.Run()
	if ctx.Err() != nil {
		err = errLimit
	}
	return out.String(), err
}

// tail returns the end of a test's output.
func tail(s string) string { return s[max(0, len(s)-1000):] }
