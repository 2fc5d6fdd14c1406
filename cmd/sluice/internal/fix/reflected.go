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

const reflectReason = "package reflect looks at the type"

// hasStruct reports whether a struct is in t.
func hasStruct(t types.Type) bool {
	return contains(t, func(t types.Type) bool {
		_, ok := t.Underlying().(*types.Struct)
		return ok && !isFile(t)
	})
}

// holds notes that a value of the type t goes into an interface.
func (a *analysis) holds(iface int, t types.Type) {
	if iface == none {
		iface = a.closed()
	}
	a.holders = append(a.holders, holder{t, iface, a.c})
}

// toReflect notes that e goes to package reflect, which sees the fields of structs, too.
func (w *walker) toReflect(e ast.Expr, src ref, from types.Type) {
	why := pin{e.Pos(), reflectReason}
	n := src.open
	if n == none {
		n = w.closed()
	}
	if types.IsInterface(from) || isTypeParam(from) {
		w.reflected[n] = append(w.reflected[n], why)
	}
	if hasStruct(from) {
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
