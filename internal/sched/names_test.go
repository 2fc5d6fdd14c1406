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
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	methods := make(map[string]bool)
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil {
				if star, ok := m.Recv.List[0].Type.(*ast.StarExpr); ok {
					if id, ok := star.X.(*ast.Ident); ok {
						methods[id.Name+"."+m.Name.Name] = true
					}
				}
			}
		}
	}
	names := regexp.MustCompile(`sched\.\(\*(\w+)\)\.(\w+)`).FindAllStringSubmatch(string(page), -1)
	if len(names) == 0 {
		t.Fatal("the page names no function of this package")
	}
	for _, n := range names {
		if !methods[n[1]+"."+n[2]] {
			t.Errorf("%s: there is no such function", n[0])
		}
	}
}
