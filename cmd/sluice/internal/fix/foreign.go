package fix

import (
	"go/ast"
	"go/types"
	"strings"
)

// looksAt are the packages of the standard library to which it matters whether a value is an
// *os.File. The others only have a quicker way for files, as package net has sendfile(2).
var looksAt = map[string]string{
	"os/exec":      "package exec gives an *os.File itself to the child, and copies anything else through a pipe",
	"net/http/cgi": "package cgi gives an *os.File itself to the child as its Stderr, and copies anything else through a pipe",
	"runtime":      "package runtime looks at the type",
	"reflect":      "package reflect looks at the type",
}

// looksAtFiles returns why a file in an interface must not go to the package, or "".
func (a *analysis) looksAtFiles(path string) string {
	if reason, ok := looksAt[path]; ok {
		return reason
	}
	reason, ok := a.looks[path]
	if !ok {
		for _, u := range a.c.packages {
			if u.PkgPath == path && u.Module != nil && !u.module && assertsFile(u.trees) {
				reason = "package " + u.Name + " looks for an *os.File in interfaces"
			}
		}
		a.looks[path] = reason
	}
	return reason
}

// losesSight returns why a file must not go to the package in a value of the type t, or "".
// In an any it may come out of the package again at any place, as sync.Pool.Get does.
func (a *analysis) losesSight(pkg *types.Package, t types.Type) string {
	if looks := a.looksAtFiles(pkg.Path()); looks != "" {
		return looks
	}
	if contains(t, isAny) {
		return "package " + pkg.Name() + " takes it as an any, and sluice fix does not follow it there"
	}
	return ""
}

// inside is the node of the interface values that are in another package. They are not
// followed there: what goes into the package may come out of it at any place.
func (a *analysis) inside(pkg *types.Package) int {
	n, fresh := a.node("package " + pkg.Path())
	if fresh {
		a.passes(n, a.insideAny())
	}
	return n
}

// insideAny is the node of the interface values that are in any other package.
func (a *analysis) insideAny() int {
	n, _ := a.node("other packages")
	return n
}

// looksAtTypeArgs reports whether a generic function or type of the package may compare types
// with its type arguments.
func (a *analysis) looksAtTypeArgs(path string) bool {
	if path == "reflect" || path == "errors" {
		return true
	}
	found, ok := a.looksGeneric[path]
	if !ok {
		for _, u := range a.c.packages {
			if u.PkgPath == path && u.Module != nil && !u.module {
				found = found || assertsInGeneric(u.trees)
			}
		}
		a.looksGeneric[path] = found
	}
	return found
}

// assertsInGeneric reports whether a generic function or method has a type assertion, or the
// package imports package reflect.
func assertsInGeneric(trees []*ast.File) bool {
	found := false
	for _, tree := range trees {
		for _, spec := range tree.Imports {
			found = found || spec.Path.Value == `"reflect"`
		}
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && (fn.Type.TypeParams != nil || hasIndex(fn.Recv)) {
				ast.Inspect(fn, func(n ast.Node) bool {
					_, asserts := n.(*ast.TypeAssertExpr)
					found = found || asserts
					return !found
				})
			}
		}
	}
	return found
}

// hasIndex reports whether a receiver is of a generic type.
func hasIndex(recv *ast.FieldList) bool {
	if recv == nil || len(recv.List) == 0 {
		return false
	}
	t := ast.Unparen(recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(star.X)
	}
	switch t.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

// assertsFile reports whether one of the files has a type assertion to *os.File.
func assertsFile(trees []*ast.File) bool {
	found := false
	for _, tree := range trees {
		if !opensFiles(tree) {
			continue
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				found = found || isFileText(n.Type)
			case *ast.TypeSwitchStmt:
				for _, clause := range n.Body.List {
					for _, e := range clause.(*ast.CaseClause).List {
						found = found || isFileText(e)
					}
				}
			}
			return !found
		})
	}
	return found
}

// isFileText reports whether the expression is written *os.File.
func isFileText(e ast.Expr) bool {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "File" {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && strings.HasSuffix(id.Name, "os")
}
