package examples_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The examples are to be copied: they are short, use what every program can use, and have
// nothing at package level that changes.
func TestShape(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("*", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, name := range files {
		folders = append(folders, filepath.Dir(name))
		if n := bytes.Count(contents(t, name), []byte("\n")); n > 120 {
			t.Errorf("%s has %d lines; want at most 120", name, n)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Doc.Text() == "" {
			t.Errorf("%s has no package comment", name)
		}
		for _, i := range file.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			own := strings.HasPrefix(path, "github.com/sluiceio/sluice")
			if strings.Contains(path, "/internal") || !own && strings.Contains(path, ".") || path == "log" {
				t.Errorf("%s imports %s", name, path)
			}
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.VAR {
				t.Errorf("%s has a variable at package level", name)
			}
		}
	}
	if !slices.Equal(folders, programs) {
		t.Errorf("the folders are %q; the tests run %q", folders, programs)
	}
	all, err := filepath.Glob(filepath.Join("*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if base := filepath.Base(name); base != "main.go" && !strings.HasSuffix(base, "_test.go") {
			t.Errorf("%s: an example is one file", name)
		}
	}
}
