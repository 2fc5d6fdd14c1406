package apidoc

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// mostNames is the number of exported names that each public package may have. Functions, types,
// constants and variables count, and so do methods of exported types and interfaces. Fields do not.
// A package that is missing here may have none.
var mostNames = map[string]int{
	"sluice": 83, "direct": 50, "cache": 31, "mapped": 6, "sluicetest": 15, "transparent": 0,
	"batch": 42, "trace": 32, "live": 1,
}

// TestNames checks the number of exported names of each public package.
func TestNames(t *testing.T) {
	for _, p := range public(t) {
		if names := exportedNames(p.files); len(names) > mostNames[p.name] {
			t.Errorf("package %s exports %d names; want at most %d: %s", p.name, len(names), mostNames[p.name], strings.Join(names, " "))
		}
	}
}

// exportedNames returns the exported names, sorted. A name that several systems' files declare
// counts once.
func exportedNames(files []*ast.File) []string {
	names := make(map[string]bool)
	add := func(id *ast.Ident, of string) {
		if id.IsExported() {
			names[of+id.Name] = true
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if of := receiver(d); of == "" {
					add(d.Name, "")
				} else if ast.IsExported(of) {
					add(d.Name, of+".")
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for _, id := range s.Names {
							add(id, "")
						}
					case *ast.TypeSpec:
						add(s.Name, "")
						if i, ok := s.Type.(*ast.InterfaceType); ok && s.Name.IsExported() {
							for _, m := range i.Methods.List {
								for _, id := range m.Names {
									add(id, s.Name.Name+".")
								}
							}
						}
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// TestCountsNames checks that TestNames counts each kind of name once.
func TestCountsNames(t *testing.T) {
	f := parse(t, token.NewFileSet(), `package p
const A, b = 1, 2
var C = 3
func D() {}
func e() {}
type F struct{ Field int }
func (*F) G() {}
func (F) h() {}
type i int
func (i) J() {}
type K interface { L(); m() }
`)
	if got, want := exportedNames([]*ast.File{f, f}), []string{"A", "C", "D", "F", "F.G", "K", "K.L"}; !slices.Equal(got, want) {
		t.Errorf("exportedNames = %q; want %q", got, want)
	}
}
