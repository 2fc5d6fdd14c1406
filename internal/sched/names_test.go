package sched

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The functions that docs/transparent.md names in goroutine dumps are there.
func TestDocumentedFunctions(t *testing.T) {
	page, err := os.ReadFile("../../docs/transparent.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\b(\w+)\.((?:\(\*\w+\)|[A-Z]\w*)\.\w+)`).FindAllStringSubmatch(string(page), -1)
	found := 0
	for _, n := range names {
		if _, err := os.Stat("../" + n[1]); err != nil {
			continue // a package of the standard library
		}
		found++
		if !methodsOf(t, n[1])[n[2]] {
			t.Errorf("%s: there is no such function", n[0])
		}
	}
	if found == 0 {
		t.Fatal("the page names no function of this package or of its neighbours")
	}
}

// methodsOf returns the methods of a package beside this one, as (*T).M or T.M.
func methodsOf(t *testing.T, name string) map[string]bool {
	files, err := filepath.Glob("../" + name + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods := make(map[string]bool)
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil {
				switch of := m.Recv.List[0].Type.(type) {
				case *ast.StarExpr:
					if id, ok := of.X.(*ast.Ident); ok {
						methods["(*"+id.Name+")."+m.Name.Name] = true
					}
				case *ast.Ident:
					methods[of.Name+"."+m.Name.Name] = true
				}
			}
		}
	}
	return methods
}
