package fix

import (
	"go/ast"
	"go/types"
)

// holder is a struct that goes into an interface.
type holder struct {
	t     types.Type
	iface int
	c     *config
}

// reflects are the packages that reach fields and methods of what they are given.
var reflects = map[string]bool{"reflect": true, "text/template": true, "html/template": true}

// hasMembers reports whether a type with fields or methods is in t.
func hasMembers(t types.Type) bool {
	return contains(t, func(t types.Type) bool {
		_, isStruct := t.(*types.Struct)
		_, isNamed := t.(*types.Named)
		return (isStruct || isNamed) && !types.IsInterface(t) && !isFile(t)
	})
}

// holds notes that a value of the type t goes into an interface.
func (a *analysis) holds(iface int, t types.Type) {
	if iface == none {
		iface = a.closed()
	}
	a.holders = append(a.holders, holder{t, iface, a.c})
}

// toReflect notes that e goes to a package that sees fields and methods, too.
func (w *walker) toReflect(pkg *types.Package, e ast.Expr, src ref, from types.Type) {
	why := pin{e.Pos(), "package " + pkg.Name() + " looks at the type"}
	n := src.open
	if n == none {
		n = w.closed()
	}
	if types.IsInterface(from) || isTypeParam(from) {
		w.reflected[n] = append(w.reflected[n], why)
	}
	if hasMembers(from) {
		w.pinFields(from, why)
	}
}

// pinReflected pins the fields of structs that reach package reflect.
func (a *analysis) pinReflected() {
	reflected := a.reachLooked(a.reflected)
	for _, h := range a.holders {
		if why, ok := reflected[a.ifaces.find(h.iface)]; ok {
			a.configure(h.c)
			a.pinFields(h.t, why)
		}
	}
}

// pinFields pins the files in the fields of structs in t, and in their fields.
func (a *analysis) pinFields(t types.Type, why pin) {
	seen := make(map[types.Type]bool)
	var in func(t types.Type)
	visit := func(t types.Type) bool {
		if n, ok := t.(*types.Named); ok {
			a.pinMethods(n, why)
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok || seen[t] {
			return false
		}
		seen[t] = true
		for f := range s.Fields() {
			if r := a.object(f.Origin()); a.within(f.Origin()) {
				a.pin(r.file, why.pos, why.reason)
				if r.open != none {
					a.looked[r.open] = append(a.looked[r.open], why)
				}
			}
			in(f.Type())
		}
		return false
	}
	in = func(t types.Type) { contains(t, visit) }
	in(t)
}

// pinMethods pins the files in the exported methods of a type.
func (a *analysis) pinMethods(t *types.Named, why pin) {
	for m := range t.Origin().Methods() {
		if m.Exported() && a.within(m) && a.m.of(m.Type()).file {
			a.pinMethod(m, why)
		}
	}
}
