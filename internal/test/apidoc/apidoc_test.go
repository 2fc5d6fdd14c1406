// Package apidoc has no code. Its tests check that the public packages are documented and small,
// and that the comments of all packages are narrow enough to read.
package apidoc

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	maxRootFiles = 30   // source files of package sluice
	maxLines     = 2500 // of source, in each public package
)

// TestDocumented checks that each exported name of the public packages has a comment: types,
// functions, methods, variables, constants, and fields of structs.
func TestDocumented(t *testing.T) {
	for _, p := range public(t) {
		for _, missing := range undocumented(p.fset, p.files) {
			t.Errorf("package %s: %s", p.name, missing)
		}
		if !slices.ContainsFunc(p.files, func(f *ast.File) bool { return f.Doc != nil }) {
			t.Errorf("package %s has no package comment", p.name)
		}
	}
}

// TestExamples checks that each public package has an example that go test runs.
func TestExamples(t *testing.T) {
	for _, p := range public(t) {
		runs := slices.ContainsFunc(doc.Examples(p.tests...), func(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput })
		if !runs {
			t.Errorf("package %s has no example with an Output comment", p.name)
		}
	}
}

// TestExamplesAlone checks that examples use only public packages, so that they can be copied.
func TestExamplesAlone(t *testing.T) {
	for _, p := range public(t) {
		for _, f := range p.tests {
			if len(doc.Examples(f)) == 0 {
				continue
			}
			for _, i := range f.Imports {
				if strings.Contains(i.Path.Value, "/internal/") {
					t.Errorf("%s imports %s", p.fset.Position(i.Pos()), i.Path.Value)
				}
			}
		}
	}
}

// TestSize checks that the packages stay small enough to read.
func TestSize(t *testing.T) {
	for _, p := range public(t) {
		lines := 0
		for _, f := range p.files {
			lines += p.fset.File(f.Pos()).LineCount()
		}
		if lines > maxLines {
			t.Errorf("package %s has %d lines; want at most %d", p.name, lines, maxLines)
		}
		if p.name == "sluice" && len(p.files) > maxRootFiles {
			t.Errorf("package sluice has %d files; want at most %d", len(p.files), maxRootFiles)
		}
	}
}

// TestNoticesMissing checks that TestDocumented finds missing comments.
func TestNoticesMissing(t *testing.T) {
	const source = `package p
// T is documented.
type T struct {
	A int
	B int // documented
	// C and D are documented.
	C, D int
	e int
	T2
}
type T2 int
func (T) M() {}
func (*T) N() {}
// O is documented.
func (T) O() {}
func (t) P() {}
type t int
func F() {}
// The constants.
const (
	X = 1
	Y = 2
)
var V, w = 1, 2
// I is documented.
type I interface{ M() }
`
	fset := token.NewFileSet()
	f := parse(t, fset, source)
	var names []string
	for _, m := range undocumented(fset, []*ast.File{f}) {
		names = append(names, strings.Fields(m)[1])
	}
	if want := []string{"T.A", "T2", "T.M", "T.N", "F", "V"}; !slices.Equal(names, want) {
		t.Errorf("undocumented = %q; want %q", names, want)
	}
}

// parse parses a file with comments.
func parse(t *testing.T, fset *token.FileSet, source string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pkg is a public package of the module.
type pkg struct {
	name         string
	fset         *token.FileSet
	files, tests []*ast.File // for all systems
}

// public returns the public packages of the module, without programs, tests, and packages for other
// modules.
func public(t *testing.T) (all []pkg) {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		_, err = os.Stat(filepath.Join(dir, "go.mod"))
		switch {
		case dir == root:
		case err == nil, slices.Contains([]string{"internal", "testdata", "examples", "docs"}, d.Name()), strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		p := pkg{fset: token.NewFileSet()}
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		for _, name := range names {
			f, err := parser.ParseFile(p.fset, name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, "_test.go") {
				p.tests = append(p.tests, f)
			} else {
				p.files, p.name = append(p.files, f), f.Name.Name
			}
		}
		if len(p.files) > 0 && p.name != "main" {
			all = append(all, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 8 {
		t.Fatalf("%d public packages were found; there are more", len(all))
	}
	return all
}

// undocumented returns the exported names without a comment, each with its place.
func undocumented(fset *token.FileSet, files []*ast.File) (missing []string) {
	report := func(name *ast.Ident, of string, comments ...*ast.CommentGroup) {
		for _, c := range comments {
			if c.Text() != "" {
				return
			}
		}
		if name.IsExported() {
			missing = append(missing, fset.Position(name.Pos()).String()+": "+of+name.Name+" has no comment")
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if of := receiver(d); of == "" {
					report(d.Name, "", d.Doc)
				} else if ast.IsExported(of) {
					report(d.Name, of+".", d.Doc)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for _, name := range s.Names {
							report(name, "", s.Doc, s.Comment, d.Doc)
						}
					case *ast.TypeSpec:
						report(s.Name, "", s.Doc, d.Doc)
						if st, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
							for _, field := range st.Fields.List {
								for _, name := range field.Names {
									report(name, s.Name.Name+".", field.Doc, field.Comment)
								}
							}
						}
					}
				}
			}
		}
	}
	return missing
}

// receiver returns the name of a method's type, or "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name
	}
	return "a generic type"
}
