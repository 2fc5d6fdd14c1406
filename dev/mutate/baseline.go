package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/cover"
)

// baseline is the result of a package's tests without a mutation.
type baseline struct {
	once  sync.Once
	tests []test // passing tests, the fastest first
}

// test is one test of a package.
type test struct {
	name    string
	took    time.Duration
	reaches map[string][]cover.ProfileBlock // statements that it has run, by file
}

// baselineOf runs each test of p alone, once, without a mutation. It leaves out tests that fail
// even then, such as tests that need root and do not check it.
func (r *runner) baselineOf(ctx context.Context, p *pkg) *baseline {
	r.mu.Lock()
	b := r.baselines[p]
	if b == nil {
		b = new(baseline)
		r.baselines[p] = b
	}
	r.mu.Unlock()
	b.once.Do(func() {
		if err := r.measure(ctx, p, b); err != nil && ctx.Err() == nil {
			fmt.Printf("not used: tests of ./%s: %v\n", p.rel(), err)
		}
	})
	return b
}

func (r *runner) measure(ctx context.Context, p *pkg, b *baseline) error {
	dir, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, out, err := build(ctx, p, dir, "-coverpkg="+strings.Join(r.covered, ","))
	if err != nil {
		return fmt.Errorf("%w: %s", err, tail(out))
	}
	list, err := r.exec(ctx, p, binary, dir, time.Minute, "-test.list=^(Test|Example|Fuzz)")
	if err != nil {
		return fmt.Errorf("%w: %s", err, tail(list))
	}
	for _, name := range strings.Fields(list) {
		profile := filepath.Join(dir, name)
		start := time.Now()
		out, err := r.exec(ctx, p, binary, dir, 10*time.Minute, "-test.run=^"+name+"$", "-test.coverprofile="+profile)
		t := test{name: name, took: time.Since(start)}
		if err == nil {
			t.reaches, err = readProfile(profile)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Printf("not used: %s of ./%s, which fails without a mutation: %v: %s\n", name, p.rel(), err, tail(withoutCoverage(out)))
			continue
		}
		b.tests = append(b.tests, t)
	}
	slices.SortFunc(b.tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	return nil
}

// withoutCoverage leaves out the lines about coverage: they name all packages.
func withoutCoverage(out string) string {
	lines := slices.Collect(strings.Lines(out))
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "coverage: ") }), "")
}

// readProfile returns the statements that were run.
func readProfile(name string) (map[string][]cover.ProfileBlock, error) {
	files, err := cover.ParseProfiles(name)
	if err != nil {
		return nil, err
	}
	reached := make(map[string][]cover.ProfileBlock)
	for _, f := range files {
		for _, b := range f.Blocks {
			if b.Count > 0 {
				reached[f.FileName] = append(reached[f.FileName], b)
			}
		}
	}
	return reached, nil
}

// reach returns the tests that run the statement of m.
func (b *baseline) reach(m mutation) (reaching []test) {
	file := m.pkg.ImportPath + "/" + m.file
	for _, t := range b.tests {
		if slices.ContainsFunc(t.reaches[file], m.in) {
			reaching = append(reaching, t)
		}
	}
	return reaching
}

// in reports whether the mutation is in b.
func (m mutation) in(b cover.ProfileBlock) bool {
	return (m.line > b.StartLine || m.line == b.StartLine && m.column >= b.StartCol) &&
		(m.line < b.EndLine || m.line == b.EndLine && m.column < b.EndCol)
}

// split returns the tests that took at most limit, and the longer ones. The fastest must come
// first.
func split(tests []test, limit time.Duration) (quick, long []test) {
	for i, t := range tests {
		if t.took > limit {
			return tests[:i], tests[i:]
		}
	}
	return tests, nil
}

// fitting returns the tests for which there is time. With some, it may return a part of them;
// otherwise all or none.
func fitting(tests []test, left time.Duration, some bool) []test {
	for i := range tests {
		if left -= tests[i].took; left < 0 {
			if some {
				return tests[:i]
			}
			return nil
		}
	}
	return tests
}

func total(tests []test) (took time.Duration) {
	for _, t := range tests {
		took += t.took
	}
	return took
}

func names(tests []test) []string {
	list := make([]string, len(tests))
	for i, t := range tests {
		list[i] = t.name
	}
	return list
}
