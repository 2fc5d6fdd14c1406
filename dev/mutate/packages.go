package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

const module = "github.com/sluiceio/sluice"

// pkg is a package of the library or of copytree, in the format of `go list -json`.
type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
	TestGoFiles  []string
	XTestGoFiles []string

	distance map[*pkg]int // the distance in imports to each package that this one's tests contain
}

func (p *pkg) rel() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

func (p *pkg) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// list returns the packages of the library and of copytree.
func list(ctx context.Context) ([]*pkg, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json", "./...", "./copytree/...")
	var errText bytes.Buffer
	cmd.Stderr = &errText
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, errText.String())
	}
	var all []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if len(all) == 0 || all[0].ImportPath != module {
		return nil, errors.New("run this in the root of the source")
	}
	byPath := make(map[string]*pkg)
	for _, p := range all {
		byPath[p.ImportPath] = p
	}
	for _, p := range all {
		p.measure(byPath)
	}
	return all, nil
}

// measure sets p.distance.
func (p *pkg) measure(byPath map[string]*pkg) {
	p.distance = map[*pkg]int{p: 0}
	next := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
	for d := 1; len(next) > 0; d++ {
		var after []string
		for _, path := range next {
			q := byPath[path]
			if q == nil {
				continue
			}
			if _, ok := p.distance[q]; !ok {
				p.distance[q] = d
				after = append(after, q.Imports...)
			}
		}
		next = after
	}
}

// themes are the packages of internal/test with the root's tests. The other packages take longer.
var themes = []string{
	"classes", "closing", "copies", "differential", "files", "frozen", "hazards", "paths", "positions",
	"schedulers", "seccomp", "syncs", "threads", "traces",
}

// ofRoot reports whether p has tests of the root.
func (p *pkg) ofRoot() bool {
	theme, ok := strings.CutPrefix(p.rel(), "internal/test/")
	return p.ImportPath == module || ok && slices.Contains(themes, theme)
}

// testsOf returns the packages whose tests contain p: p first, then the root's, then the nearest.
func testsOf(p *pkg, all []*pkg) []*pkg {
	var tests []*pkg
	for _, q := range all {
		if _, ok := q.distance[p]; ok && q.tested() && !strings.HasPrefix(q.rel(), "docs") && !strings.HasPrefix(q.rel(), "examples") {
			tests = append(tests, q)
		}
	}
	rank := func(q *pkg) int {
		if q != p && q.ofRoot() {
			return 1
		}
		return 2 * q.distance[p]
	}
	slices.SortStableFunc(tests, func(a, b *pkg) int { return cmp.Compare(rank(a), rank(b)) })
	return tests
}

// shipped returns the packages that a user's program may contain: the public ones and their
// imports. The other packages are for tests.
func shipped(all []*pkg) []*pkg {
	byPath := make(map[string]*pkg)
	for _, p := range all {
		byPath[p.ImportPath] = p
	}
	in := make(map[*pkg]bool)
	var add func(p *pkg)
	add = func(p *pkg) {
		if p == nil || in[p] {
			return
		}
		in[p] = true
		for _, path := range p.Imports {
			add(byPath[path])
		}
	}
	for _, p := range all {
		first, _, _ := strings.Cut(p.rel(), "/")
		if first != "docs" && first != "examples" && !strings.Contains(p.rel(), "internal/") {
			add(p)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(p *pkg) bool { return !in[p] })
}
