package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// unsafely pins the files of a conversion from or to an unsafe.Pointer. The compiler does not see
// what type they have at the other side.
func (w *walker) unsafely(call *ast.CallExpr, to types.Type) {
	const reason = "it goes through an unsafe.Pointer, where its type is not seen"
	from := w.info.TypeOf(call.Args[0])
	if from == nil || to == nil {
		return
	}
	if isUnsafePointer(to) && w.m.of(from).file {
		w.pin(w.expr(call.Args[0]).file, call.Pos(), reason)
	}
	if isUnsafePointer(from) && w.m.of(to).file {
		w.pin(w.at(call).file, call.Pos(), reason)
	}
}

func isUnsafePointer(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

// linknames pins the files of functions and variables that a go:linkname joins with others. The
// compiler does not compare their types.
func (w *walker) linknames(tree *ast.File) {
	for _, g := range tree.Comments {
		for _, c := range g.List {
			words := strings.Fields(c.Text)
			if len(words) < 2 || words[0] != "//go:linkname" || w.pkg.types == nil {
				continue
			}
			if o := w.pkg.types.Scope().Lookup(words[1]); o != nil && w.within(o) {
				w.pinElsewhere(o, c.Pos(), "go:linkname joins "+words[1]+" with another name")
			}
		}
	}
}

// pinElsewhere pins the files of a function or variable that is also declared where sluice fix does
// not look.
func (w *walker) pinElsewhere(o types.Object, pos token.Pos, reason string) {
	switch o := o.(type) {
	case *types.Var:
		w.pin(w.object(o).file, pos, reason)
	case *types.Func:
		for _, t := range []*types.Tuple{o.Signature().Params(), o.Signature().Results()} {
			for v := range t.Variables() {
				w.pin(w.object(v).file, pos, reason)
			}
		}
	}
}
