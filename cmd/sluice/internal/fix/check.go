package fix

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"
)

// problem is an error of the type checker in the rewritten program.
type problem struct {
	pos  token.Pos // in the old text
	text string
}

// check type-checks the program with the drafts in place of its files. It returns the first
// error, or nil.
func (a *analysis) check(drafts map[string]*draft) *problem {
	for _, c := range a.p.configs {
		if wrong := a.checkConfig(c, drafts); wrong != nil {
			return wrong
		}
	}
	return nil
}

func (a *analysis) checkConfig(c *config, drafts map[string]*draft) *problem {
	trees := make(map[*ast.File]*ast.File)
	for _, d := range drafts {
		tree, err := parser.ParseFile(a.p.fset, d.source.name, d.text, parser.SkipObjectResolution)
		if err != nil {
			return &problem{d.source.tree.Pos(), err.Error()}
		}
		trees[d.source.tree] = tree
	}
	again := make(map[string]*types.Package) // by ID of the package
	var declared *types.Package
	for _, u := range c.module {
		if !a.affected(u, again, trees) {
			continue
		}
		if declared == nil {
			declared = a.declared(c)
		}
		pkg, wrong := a.checkUnit(c, u, again, trees, declared)
		if wrong != nil {
			return a.problem(wrong, drafts)
		}
		again[u.ID] = pkg
	}
	return nil
}

// declared returns package sluice: the one that the program has already, or our declarations.
func (a *analysis) declared(c *config) *types.Package {
	if u := c.packages[modulePath]; u != nil && u.types != nil {
		return u.types
	}
	return declare(func(path string) *types.Package {
		if u := c.packages[path]; u != nil {
			return u.types
		}
		return nil
	})
}

// affected reports whether the package or one that it imports has changed.
func (a *analysis) affected(u *unit, again map[string]*types.Package, trees map[*ast.File]*ast.File) bool {
	for _, tree := range u.trees {
		if trees[tree] != nil {
			return true
		}
	}
	for _, imported := range u.Imports {
		if again[imported.ID] != nil {
			return true
		}
	}
	return false
}

// checkUnit type-checks a package, and returns its first error that it did not have before.
func (a *analysis) checkUnit(c *config, u *unit, again map[string]*types.Package, trees map[*ast.File]*ast.File, declared *types.Package) (pkg *types.Package, wrong *types.Error) {
	conf := a.p.typesConfig(c, u, func(path string) *types.Package {
		pkg := u.Imports[path]
		switch {
		case pkg == nil && path == modulePath:
			return declared
		case pkg == nil:
			return nil
		case again[pkg.ID] != nil:
			return again[pkg.ID]
		}
		return c.packages[pkg.ID].types
	})
	known := make(map[string]bool) // errors that the old program has, too
	for _, e := range u.errs {
		known[e.Msg] = true
	}
	conf.Error = func(err error) {
		if te, ok := errors.AsType[types.Error](err); ok && wrong == nil && !known[te.Msg] && !a.p.unfounded(c, te) {
			wrong = &te
		}
	}
	files := make([]*ast.File, len(u.trees))
	for i, tree := range u.trees {
		files[i] = u.looked[i]
		if trees[tree] != nil {
			files[i] = c.looked(a.p.source(tree.Pos()), trees[tree])
		}
	}
	pkg, _ = conf.Check(u.PkgPath, a.p.fset, files, nil)
	return pkg, wrong
}

// problem returns an error of the type checker with the position in the old text.
func (a *analysis) problem(e *types.Error, drafts map[string]*draft) *problem {
	file := a.p.fset.File(e.Pos)
	if file == nil {
		return &problem{token.NoPos, e.Msg}
	}
	d := drafts[file.Name()]
	old := a.p.sources[file.Name()]
	if d == nil || old == nil || old.tree.FileStart == token.Pos(file.Base()) {
		return &problem{e.Pos, e.Msg}
	}
	return &problem{old.tree.FileStart + token.Pos(d.oldOffset(file.Offset(e.Pos))), e.Msg}
}

// pinWrong pins the classes that an error is about: those of the innermost statement or
// declaration around it that has one, else those of its file, else all. It reports whether
// there was one.
func (a *analysis) pinWrong(wrong *problem) bool {
	chosen := make(map[int]bool)
	for _, s := range a.chosen() {
		if s.node != none {
			chosen[a.files.find(s.node)] = true
		}
	}
	pinned := false
	pin := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			for _, node := range a.nodesOf(n) {
				if root := a.files.find(node); chosen[root] {
					a.pin(node, wrong.pos, "it would not compile: "+wrong.text)
					pinned = true
				}
			}
			return !pinned || n == nil
		})
	}
	if s := a.p.source(wrong.pos); s != nil {
		path, _ := astutil.PathEnclosingInterval(s.tree, wrong.pos, wrong.pos)
		for _, n := range path {
			if pin(n); pinned {
				return true
			}
		}
	}
	for root := range chosen {
		a.pin(root, wrong.pos, "it would not compile: "+wrong.text)
		pinned = true
	}
	return pinned
}

// nodesOf returns the nodes of an expression, and of the object that it names.
func (a *analysis) nodesOf(n ast.Node) []int {
	var list []int
	if e, ok := n.(ast.Expr); ok {
		if node, ok := a.nodes[e]; ok {
			list = append(list, node)
		}
	}
	id, ok := n.(*ast.Ident)
	if !ok {
		return list
	}
	for _, c := range a.p.configs {
		for _, u := range c.checked {
			if o := u.info.ObjectOf(id); o != nil {
				if node, ok := a.nodes[o.Pos()]; ok {
					list = append(list, node)
				}
			}
		}
	}
	return list
}
