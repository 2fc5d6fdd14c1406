package fix

import (
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// systems are tried in this order for files that the current system does not build.
var systems = strings.Fields(`
	linux/amd64 darwin/arm64 windows/amd64 freebsd/amd64 linux/arm64 linux/386 windows/386
	openbsd/amd64 netbsd/amd64 dragonfly/amd64 solaris/amd64 illumos/amd64 aix/ppc64 android/arm64
	ios/arm64 js/wasm wasip1/wasm plan9/amd64 linux/arm linux/ppc64le linux/s390x linux/riscv64
	linux/mips64le linux/loong64
`)

// goneSystems are those that no Go which can build package sluice is for.
var goneSystems = []string{"nacl/amd64p32", "hurd/amd64", "zos/s390x"}

// otherSystems loads packages once more for each system that a file is for, so that a field
// that files of two systems use has one type. What no system builds is unseen.
func (p *program) otherSystems(ctx context.Context, o Options, first *config) error {
	all := append(p.ignored(first), p.elsewhere(first)...)
	left := slices.Clone(all)
	for _, s := range goneSystems {
		left = slices.DeleteFunc(left, func(src *source) bool { return builds(s, o.Tags, src.name) })
	}
	for _, s := range systems {
		isFor := func(src *source) bool { return builds(s, o.Tags, src.name) }
		if !slices.ContainsFunc(left, isFor) {
			continue
		}
		var files []*source
		for _, src := range all {
			if isFor(src) {
				files = append(files, src)
			}
		}
		d := p.differs(first, files)
		o.Patterns = slices.Sorted(maps.Keys(d.only))
		goos, goarch, _ := strings.Cut(s, "/")
		c, err := p.addConfig(ctx, o, goos, goarch, d)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = p.firstError(c)
		}
		if err != nil { // its files are unseen
			p.notes = append(p.notes, fmt.Sprintf("GOOS=%s GOARCH=%s was left out: %v", goos, goarch, err))
			p.configs = slices.DeleteFunc(p.configs, func(other *config) bool { return other == c })
			continue
		}
		left = slices.DeleteFunc(left, isFor)
	}
	p.unseen = left
	for _, src := range left {
		if p.matches[src.name] && opensFiles(src.tree) {
			p.notes = append(p.notes, p.relative(src.name)+" was not looked at: its build tags exclude it on every system that was tried (see -tags)")
		}
	}
	return nil
}

// ignored returns the files that belong to packages of c and that c does not build.
func (p *program) ignored(c *config) []*source {
	var list []*source
	for _, u := range c.checked {
		for _, name := range u.IgnoredFiles {
			if filepath.Ext(name) != ".go" || slices.ContainsFunc(list, func(s *source) bool { return s.name == name }) {
				continue
			}
			s := p.sources[name]
			if s == nil {
				s = &source{name: name, module: true}
				p.sources[name] = s
				s.parse(p.fset)
			}
			// A program that shares the directory (//go:build ignore) shares nothing else.
			if s.tree != nil && strings.TrimSuffix(s.tree.Name.Name, "_test") == strings.TrimSuffix(u.Name, "_test") {
				list = append(list, s)
			}
		}
	}
	return list
}

// builds reports whether the system builds the file.
func builds(system, tags, name string) bool {
	c := build.Default
	c.GOOS, c.GOARCH, _ = strings.Cut(system, "/")
	c.CgoEnabled = false
	c.BuildTags = strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })
	ok, err := c.MatchFile(filepath.Dir(name), filepath.Base(name))
	return ok && err == nil
}

// opensFiles reports whether the file imports a package whose calls are replaced.
func opensFiles(tree *ast.File) bool {
	return slices.ContainsFunc(tree.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == `"os"` || s.Path.Value == `"io/ioutil"`
	})
}

// pinUnseen pins the classes of fields, functions and variables whose names occur in a file
// of the same directory that was not looked at.
func (a *analysis) pinUnseen() {
	for _, src := range a.p.unseen {
		names, members := namesIn(src.tree)
		dir := filepath.Dir(src.name)
		for _, o := range a.shared {
			if (members[o.name] || names[o.name] && !o.member) && filepath.Dir(a.p.fset.Position(o.pos).Filename) == dir {
				a.pin(o.node, src.tree.Name.Pos(), o.name+" is in a file that was not looked at because of its build tags")
			}
		}
	}
}

// namesIn returns the names that the file uses, and those behind a dot or before a colon,
// where fields and methods are. What it imports is left out.
func namesIn(tree *ast.File) (names, members map[string]bool) {
	imports := make(map[string]bool)
	for _, spec := range tree.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		imports[path[strings.LastIndex(path, "/")+1:]] = true
		if spec.Name != nil {
			imports[spec.Name.Name] = true
		}
	}
	names, members = make(map[string]bool), make(map[string]bool)
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && imports[id.Name] {
				return false
			}
			members[n.Sel.Name] = true
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				members[id.Name] = true
			}
		case *ast.Ident:
			names[n.Name] = true
		}
		return true
	})
	return names, members
}
