package fix

import (
	"go/ast"
	"go/token"
	"go/types"
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

// pinEmbedded pins the files that are embedded in structs if the program looks for methods
// that they would add.
func (a *analysis) pinEmbedded() {
	if a.looksMore == nil {
		return
	}
	for _, n := range a.embedded {
		a.pin(n, a.looksMore.pos, a.looksMore.reason)
	}
}
