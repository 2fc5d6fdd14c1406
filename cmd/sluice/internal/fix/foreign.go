package fix

import (
	"go/ast"
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
