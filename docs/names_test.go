package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNames checks that the code that the documents name exists: declarations, as in
// iopath.Paths.ReadCached, and files, as in internal/sched/read.go. A part of the path may be left
// out. It does not check docs/results, which also name deleted code.
func TestNames(t *testing.T) {
	code := readCode(t)
	documents, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob("decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	documents = append(append(documents, decisions...), "../ARCHITECTURE.md", "../README.md")
	found := 0
	for _, name := range documents {
		text := read(t, name)
		for _, m := range declaration.FindAllStringSubmatch(text, -1) {
			found++
			if !code.declares(m[1], m[2], m[3]) {
				t.Errorf("%s: the code has no %s", name, m[0])
			}
		}
		if name == "transparent.md" {
			text = "" // its file names are Go's
		}
		for _, m := range goFile.FindAllString(text, -1) {
			found++
			if !code.hasFile(m) {
				t.Errorf("%s: there is no file %s", name, m)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d names were found; there are more", found)
	}
}

// TestNamesNoticesMissing checks that the test itself finds missing names.
func TestNamesNoticesMissing(t *testing.T) {
	code := readCode(t)
	for name, want := range map[string]bool{
		"iopath.Paths.ReadCached": true, "sluice.File.ReadAt": true, "sluice.Options.Depth": true, "driver.Driver.Reap": true,
		"sluice.Open": true, "os.File.Read": true, "ioengine.Engine.await": true,
		"iopath.Paths.ReadTwice": false, "sluice.Opem": false, "sluice.Options.Deep": false, "ioengine.Motor": false,
	} {
		m := declaration.FindStringSubmatch(name)
		if m == nil {
			t.Errorf("%s is not recognized as a name", name)
		} else if got := code.declares(m[1], m[2], m[3]); got != want {
			t.Errorf("declares %s = %v; want %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{"budget/taken.go": true, "file_io.go": true, "sched/none.go": false} {
		if got := code.hasFile(name); got != want {
			t.Errorf("has file %s = %v; want %v", name, got, want)
		}
	}
}

var (
	declaration = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)(?:\.([A-Za-z]\w*))?`)
	goFile      = regexp.MustCompile(`\b[a-z][a-z_0-9/-]*\.go\b`)
)

// code is the repository's declarations: by package, names such as Open and File.ReadAt.
type code struct {
	names map[string]map[string]bool
	files []string
}

// declares reports whether a package has a name, and a member of it unless that is "". It returns
// true for packages outside the repository.
func (c code) declares(pkg, name, member string) bool {
	names := c.names[pkg]
	if names == nil || pkg == "main" {
		return true
	}
	return names[name] && (member == "" || names[name+"."+member])
}

func (c code) hasFile(name string) bool {
	return slices.ContainsFunc(c.files, func(f string) bool { return f == name || strings.HasSuffix(f, "/"+name) })
}

func readCode(t *testing.T) code {
	c := code{names: map[string]map[string]bool{}}
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "testdata", "third_party"}, d.Name()):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go":
			return nil
		}
		rel, err := filepath.Rel("..", name)
		if err != nil {
			return err
		}
		c.files = append(c.files, filepath.ToSlash(rel))
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := c.names[file.Name.Name]
		if pkg == nil {
			pkg = map[string]bool{}
			c.names[file.Name.Name] = pkg
		}
		for _, d := range file.Decls {
			declare(pkg, d)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// declare adds the names of a declaration.
func declare(names map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
			return
		}
		of := d.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if index, ok := of.(*ast.IndexExpr); ok {
			of = index.X
		}
		if id, ok := of.(*ast.Ident); ok {
			names[id.Name+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names[id.Name] = true
				}
			case *ast.TypeSpec:
				names[s.Name.Name] = true
				for _, member := range membersOf(s.Type) {
					names[s.Name.Name+"."+member] = true
				}
			}
		}
	}
}

// membersOf returns the fields of a struct or the methods of an interface.
func membersOf(of ast.Expr) (names []string) {
	var list *ast.FieldList
	switch of := of.(type) {
	case *ast.StructType:
		list = of.Fields
	case *ast.InterfaceType:
		list = of.Methods
	default:
		return nil
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return names
}
