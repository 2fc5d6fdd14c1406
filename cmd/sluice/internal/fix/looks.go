package fix

import (
	"go/ast"
	"go/token"
	"go/types"
)

// more are the methods that a sluice.File has and an *os.File has not. TestDeclarations
// compares them with package sluice.
var more = map[string]bool{
	"Advise": true, "Allocate": true, "Datasync": true, "DatasyncContext": true, "Internal": true, "OSFile": true,
	"Prefetch": true, "PunchHole": true, "ReadAtContext": true, "SyncContext": true, "SyncRange": true,
	"WithClass": true, "WriteAtContext": true,
}

// look notes that the program looks at the type of an interface value.
func (a *analysis) look(src ref, pos token.Pos, reason string) {
	n := src.open
	if n == none {
		n = a.closed()
	}
	a.looked[n] = append(a.looked[n], pin{pos, reason})
}

// looksForMethods notes that the program looks for methods in an interface value. Those that
// only a sluice.File has are found after the rewriting, and not before.
func (w *walker) looksForMethods(e ast.Expr, t types.Type, src ref) {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || isTypeParam(t) {
		return
	}
	for m := range i.Methods() {
		if more[m.Name()] {
			why := pin{e.Pos(), "the program looks for a method " + m.Name() + " in an interface, and an *os.File has none"}
			w.look(src, why.pos, why.reason)
			if w.looksMore == nil {
				w.looksMore = &why
			}
		}
		if params := paramsIn(m.Type()); len(params) > 0 {
			reason := "the program looks for a method with a type parameter in an interface, which may be an *os.File"
			w.typeArgs.asserts = append(w.typeArgs.asserts, paramAssert{params: params, src: none, method: m, pin: pin{e.Pos(), reason}})
		}
		if w.m.of(m.Type()).file {
			w.typeArgs.methods[m.Name()] = pin{e.Pos(), "the program looks for a method with an *os.File in an interface"}
		}
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
