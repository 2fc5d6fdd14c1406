package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// more are the methods that a sluice.File has and an *os.File has not. TestDeclarations
// compares them with package sluice.
var more = map[string]bool{
	"Advise": true, "Allocate": true, "Datasync": true, "DatasyncContext": true,
	"OSFile": true, "Prefetch": true, "PunchHole": true, "ReadAtContext": true, "Stats": true,
	"SyncContext": true, "SyncRange": true, "WithClass": true, "WriteAtContext": true,
}

// look notes that the program looks at the type of an interface value.
func (a *analysis) look(src ref, pos token.Pos, reason string) {
	n := src.open
	if n == none {
		n = a.closed()
	}
	a.looked[n] = append(a.looked[n], pin{pos, reason})
}

// looksForMethods notes that the program looks for methods in an interface value.
func (w *walker) looksForMethods(e ast.Expr, t types.Type, src ref) {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || isTypeParam(t) {
		return
	}
	for m := range i.Methods() {
		if more[m.Name()] {
			w.looksForMore(e, m, src)
		}
		w.looksForMethod(e, m)
	}
}

// looksForMore notes that the program looks for a method that only a sluice.File has. It is
// found after the rewriting, and not before.
func (w *walker) looksForMore(e ast.Expr, m *types.Func, src ref) {
	why := pin{e.Pos(), "the program looks for a method " + m.Name() +
		" in an interface, and an *os.File has none"}
	w.look(src, why.pos, why.reason)
	if w.looksMore == nil {
		w.looksMore = &why
	}
}

// looksForMethod notes that the program looks for a method whose type may have an *os.File.
func (w *walker) looksForMethod(e ast.Expr, m *types.Func) {
	why := pin{e.Pos(), "the program looks for a method with an *os.File in an interface"}
	if w.m.of(m.Type()).file {
		w.typeArgs.methods[m.Name()] = why
	}
	if params := paramsIn(m.Type()); len(params) > 0 {
		w.typeArgs.asserts = append(w.typeArgs.asserts,
			paramAssert{params: params, src: none, method: m, pin: why})
	}
}

// embedded is a field that is an embedded file.
type embedded struct {
	field *types.Var
	node  int
}

// pinEmbedded pins the files that are embedded in structs if the program looks for methods
// that they would add.
func (a *analysis) pinEmbedded() {
	if a.looksMore == nil {
		return
	}
	for _, e := range a.embedded {
		a.pin(e.node, a.looksMore.pos, a.looksMore.reason)
	}
}

// pinHiding pins the files that are embedded in the structs of a package, and in structs that are
// embedded there, if a method that only a sluice.File has hides a field or another method.
func (a *analysis) pinHiding(u *unit) {
	fields := make(map[*types.Var]int)
	for _, e := range a.embedded {
		fields[e.field] = e.node
	}
	if len(fields) == 0 {
		return
	}
	for _, o := range u.info.Defs {
		if name, ok := o.(*types.TypeName); ok && !name.IsAlias() {
			a.pinHidden(u, o.Type(), o.Pos(), fields)
		}
	}
	for e, tv := range u.info.Types {
		if _, ok := e.(*ast.StructType); ok { // the type of a literal or a variable
			a.pinHidden(u, tv.Type, e.Pos(), fields)
		}
	}
}

// pinHidden is pinHiding for one type.
func (a *analysis) pinHidden(u *unit, t types.Type, pos token.Pos, fields map[*types.Var]int) {
	inside := filesIn(t, fields)
	if len(inside) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		o, index, _ := types.LookupFieldOrMethod(t, true, u.types, name)
		if o == nil {
			continue
		}
		for f, depth := range inside {
			if len(index) > depth {
				a.pin(fields[f], pos, "the method "+name+" of an embedded sluice.File would hide another "+name)
			}
		}
	}
}

// filesIn returns the embedded files of a struct, and of structs that are embedded in it. Its own
// have the depth 1.
func filesIn(t types.Type, fields map[*types.Var]int) map[*types.Var]int {
	found := make(map[*types.Var]int)
	seen := make(map[types.Type]bool)
	var in func(t types.Type, depth int)
	in = func(t types.Type, depth int) {
		t = pointee(types.Unalias(t))
		s, ok := t.Underlying().(*types.Struct)
		if !ok || seen[t] {
			return
		}
		seen[t] = true
		for f := range s.Fields() {
			if _, ok := fields[f.Origin()]; ok {
				found[f.Origin()] = depth
			} else if f.Embedded() {
				in(f.Type(), depth+1)
			}
		}
	}
	in(t, 1)
	return found
}
