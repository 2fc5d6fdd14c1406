package fix

import (
	"context"
	"go/token"
	"go/types"
	"path/filepath"
	"testing"
)

// TestDeclarations compares the declarations for the type checker with package sluice, and
// the methods with those of *os.File.
func TestDeclarations(t *testing.T) {
	dir, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{dir: dir, fset: token.NewFileSet(), sources: make(map[string]*source)}
	c, err := p.addConfig(context.Background(), Options{Patterns: []string{modulePath}}, "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	imported := func(path string) *types.Package {
		if u := c.packages[path]; u != nil {
			return u.types
		}
		return nil
	}
	real, declared := imported(modulePath).Scope(), declare(imported).Scope()
	for _, name := range declared.Names() {
		want := "nothing"
		if o := real.Lookup(name); o != nil {
			want = describe(o.Type())
		}
		if got := describe(declared.Lookup(name).Type()); got != want {
			t.Errorf("%s is declared as %s; package sluice has %s", name, got, want)
		}
	}
	have, want := methodsOf(declared), methodsOf(real)
	for name, text := range have {
		if want[name] != text {
			t.Errorf("File.%s is declared as %s; package sluice has %s", name, text, want[name])
		}
	}
	old := methodsOf(imported("os").Scope())
	for name := range want {
		if more[name] != (old[name] == "") {
			t.Errorf("File.%s is among the methods that os.File has not: %t", name, more[name])
		}
	}
	for name := range old {
		if have[name] == "" {
			t.Errorf("os.File has the method %s, which is not declared", name)
		}
	}
	for _, r := range replaced {
		if declared.Lookup(r.name) == nil {
			t.Errorf("%s is not declared", r.name)
		}
	}
}

// describe returns a type without the names of parameters.
func describe(t types.Type) string {
	if s, ok := t.(*types.Signature); ok {
		return typesOf(s.Params()) + typesOf(s.Results())
	}
	return types.TypeString(t, (*types.Package).Path)
}

// methodsOf returns the exported methods of the type *File, each with its type.
func methodsOf(scope *types.Scope) map[string]string {
	methods := make(map[string]string)
	for m := range types.NewMethodSet(types.NewPointer(scope.Lookup("File").Type())).Methods() {
		if m.Obj().Exported() {
			methods[m.Obj().Name()] = describe(m.Type())
		}
	}
	return methods
}
