package fix

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// callee returns the function that is called, as it was declared, or nil if it is a value. A
// method expression is one: its first parameter is the receiver.
func (w *walker) callee(call *ast.CallExpr) *types.Func {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if s := w.info.Selections[sel]; s != nil && s.Kind() == types.MethodExpr {
			return nil
		}
	}
	fn, _ := typeutil.Callee(w.info, call).(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// builtin returns the name of the builtin function that is called, or "".
func (w *walker) builtin(call *ast.CallExpr) string {
	if b, ok := typeutil.Callee(w.info, call).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// result returns what the i-th result of a call holds.
func (w *walker) result(call *ast.CallExpr, i int) ref {
	if w.info.Types[call.Fun].IsType() || w.builtin(call) != "" {
		return w.at(call)
	}
	fn := w.callee(call)
	if fn == nil {
		return w.expr(call.Fun)
	}
	results, ok := w.info.TypeOf(call.Fun).(*types.Signature)
	if !ok || i >= results.Results().Len() {
		return w.at(call)
	}
	if r, ok := replacedBy(fn); ok {
		if r.file && i == 0 {
			return w.expr(ast.Unparen(call.Fun))
		}
		return nothing
	}
	now, then := results.Results().At(i).Type(), fn.Signature().Results().At(i)
	r := w.at(call)
	if w.m.of(then.Type()).file || !w.m.of(now).file {
		r.file = none
		if w.m.of(then.Type()).file {
			r.file = w.declared(call, fn, then)
		}
	}
	switch {
	case w.within(fn) && w.m.of(then.Type()).open:
		r.open = w.object(then).open
	case !w.within(fn) && w.m.of(now).open && fn.Pkg() != nil:
		w.fromForeign(fn.Pkg(), now, r.open)
	}
	return r
}

// declared returns the node of the files of a result of fn.
func (w *walker) declared(call *ast.CallExpr, fn *types.Func, v *types.Var) int {
	if w.within(fn) {
		return w.object(v).file
	}
	return w.stays(call, w.foreignName(fn)+" returns an *os.File")
}

// call joins arguments and parameters.
func (w *walker) call(call *ast.CallExpr) {
	w.expr(call.Fun)
	switch name := w.builtin(call); {
	case w.info.Types[call.Fun].IsType():
		w.conversion(call)
		return
	case name != "":
		w.callBuiltin(call, name)
		return
	}
	s, ok := coreType(w.typeOf(call.Fun)).(*types.Signature)
	if !ok {
		return
	}
	fn := w.callee(call)
	for i := range s.Params().Len() {
		w.arguments(call, s, fn, i)
	}
	if fn == nil {
		return
	}
	w.callsMethod(fn)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && w.info.Selections[sel] != nil {
		if t := w.info.TypeOf(sel.X); w.m.of(t).file && !isFile(pointee(t)) { // list.Push(f)
			w.files.join(w.at(call).file, w.expr(sel.X).file)
		}
	} else if w.m.of(s).file && !w.m.of(fn.Type()).file {
		w.files.join(w.at(call).file, w.expr(call.Fun).file)
	}
	if id := nameOf(call.Fun); id != nil {
		w.instance(id, w.at(call).file)
	}
}

// arguments joins the arguments for the i-th parameter with it.
func (w *walker) arguments(call *ast.CallExpr, s *types.Signature, fn *types.Func, i int) {
	if len(call.Args) == 1 && s.Params().Len() > 1 { // f(g())
		if src, from := w.part(call.Args[0], i); from != nil {
			w.argument(call, s, fn, i, call.Args[0], src, from)
		}
		return
	}
	last := i + 1
	if s.Variadic() && i == s.Params().Len()-1 {
		last = len(call.Args)
	}
	for j := i; j < last && j < len(call.Args); j++ {
		if from := w.info.TypeOf(call.Args[j]); from != nil {
			w.argument(call, s, fn, i, call.Args[j], w.expr(call.Args[j]), from)
		}
	}
}

// argument joins one argument of the type from with the i-th parameter.
func (w *walker) argument(call *ast.CallExpr, s *types.Signature, fn *types.Func, i int, e ast.Expr, src ref, from types.Type) {
	to := s.Params().At(i).Type()
	if s.Variadic() && i == s.Params().Len()-1 && !call.Ellipsis.IsValid() {
		to = to.(*types.Slice).Elem()
	}
	if fn != nil && fn.Pkg() != nil && reflects[fn.Pkg().Path()] {
		w.toReflect(fn.Pkg(), e, src, from)
	}
	if !isOpen(to) && (!w.m.of(to).any() || !w.m.of(from).any()) {
		return
	}
	if fn == nil {
		w.flow(w.expr(call.Fun), to, src, from)
		return
	}
	declared := fn.Signature().Params().At(i)
	then := w.m.of(declared.Type())
	dst := w.at(call)
	switch {
	case w.within(fn):
		if then.file {
			dst.file = w.object(declared).file
		}
		if then.open {
			dst.open = w.object(declared).open
			if w.m.of(to).file && !then.file { // the type argument is *os.File
				w.files.join(w.at(call).file, src.file)
				w.opens = append(w.opens, open{src.file, dst.open})
				return
			}
		}
		w.flow(dst, to, src, from)
	case then.file:
		w.pin(src.file, e.Pos(), w.foreignName(fn)+" takes an *os.File")
	case w.m.of(to).file: // the type argument is *os.File
		w.files.join(dst.file, src.file)
	default:
		w.toForeign(fn.Pkg(), to, e, src, from)
	}
}

// toForeign notes that a value goes to an interface of another package.
func (w *walker) toForeign(pkg *types.Package, to types.Type, e ast.Expr, src ref, from types.Type) {
	if pkg == nil {
		return
	}
	m := w.m.of(from)
	looks := w.losesSight(pkg, to)
	if looks != "" {
		if m.file {
			w.pin(src.file, e.Pos(), looks)
			w.look(nothing, e.Pos(), looks) // errors.As(err, &problem)
		}
		if m.open && src.open != none {
			w.look(src, e.Pos(), looks)
		}
		w.comparesParam(from, e.Pos(), looks)
		w.comparesInstances(from, pin{e.Pos(), looks})
	}
	if m.file && isOpen(to) && src.file != none {
		w.opens = append(w.opens, open{src.file, w.inside(pkg)})
	}
	if m.open {
		w.passes(src.open, w.inside(pkg))
		if !isOpen(to) && looks == "" { // the package may call it, or put something into it
			w.passes(w.inside(pkg), src.open)
		}
	}
	w.methodsOf(pkg, to)
}

// fromForeign notes that a value of the type t comes out of another package.
func (w *walker) fromForeign(pkg *types.Package, t types.Type, n int) {
	w.passes(w.inside(pkg), n)
	if !isOpen(t) {
		w.passes(n, w.inside(pkg))
	}
}

func (w *walker) conversion(call *ast.CallExpr) {
	if len(call.Args) != 1 {
		return
	}
	to := w.info.TypeOf(call.Fun)
	dst := w.at(call)
	w.join(dst, w.typeExpr(call.Fun))
	w.flowExpr(dst, to, call.Args[0])
	w.unsafely(call, to)
}

func (w *walker) callBuiltin(call *ast.CallExpr, name string) {
	switch name {
	case "new", "make":
		r := w.at(call)
		if w.info.Types[call.Args[0]].IsType() {
			w.join(r, w.typeExpr(call.Args[0]))
			w.zero(call.Args[0])
		} else {
			w.flowExpr(r, w.info.TypeOf(call.Args[0]), call.Args[0])
		}
	case "panic":
		const reason = "it is the value of a panic, and sluice fix does not see who recovers it"
		if src := w.expr(call.Args[0]); w.m.of(w.typeOf(call.Args[0])).file {
			w.pin(src.file, call.Pos(), reason)
		} else if src.open != none {
			w.look(src, call.Pos(), reason)
		}
	case "append", "copy", "delete", "min", "max":
		first := w.expr(call.Args[0])
		t := w.info.TypeOf(call)
		if name == "append" {
			w.flow(w.at(call), t, first, t)
		}
		for _, arg := range call.Args[1:] {
			w.flowExpr(first, w.element(call, arg), arg)
		}
	}
}

// element returns the type of the place that an argument of append, copy or delete goes to.
func (w *walker) element(call *ast.CallExpr, arg ast.Expr) types.Type {
	switch t := coreType(w.typeOf(call.Args[0])).(type) {
	case *types.Slice:
		if call.Ellipsis.IsValid() || w.builtin(call) == "copy" {
			return t
		}
		return t.Elem()
	case *types.Map:
		return t.Key()
	}
	return w.info.TypeOf(arg)
}

// composite joins the elements of a composite literal with their places.
func (w *walker) composite(n *ast.CompositeLit) {
	t := w.info.TypeOf(n)
	if t == nil {
		return
	}
	r := nothing
	if w.m.of(t).any() {
		r = w.at(n)
	}
	if n.Type != nil {
		w.join(r, w.typeExpr(n.Type))
		w.zero(n.Type)
	}
	w.linkNames(r, t)
	switch t := coreType(pointee(t)).(type) {
	case *types.Struct:
		w.structElements(n, t, r)
	case *types.Map:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				w.flowExpr(r, t.Key(), kv.Key)
				w.flowExpr(r, t.Elem(), kv.Value)
			}
		}
	case *types.Slice:
		w.elements(n, t.Elem(), r)
	case *types.Array:
		w.elements(n, t.Elem(), r)
	}
}

func (w *walker) elements(n *ast.CompositeLit, t types.Type, r ref) {
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		w.flowExpr(r, t, e)
	}
}

func (w *walker) structElements(n *ast.CompositeLit, t *types.Struct, r ref) {
	for i, e := range n.Elts {
		var field *types.Var
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				field, _ = w.info.Uses[id].(*types.Var)
			}
			e = kv.Value
		} else if i < t.NumFields() {
			field = t.Field(i)
		}
		if field == nil {
			continue
		}
		w.toField(w.info.TypeOf(n), field, e, r)
	}
}

// toField joins a value with the field that it goes to; r is what the literal holds.
func (w *walker) toField(t types.Type, field *types.Var, e ast.Expr, r ref) {
	from := w.info.TypeOf(e)
	if from == nil {
		return
	}
	declared := field.Origin()
	dst := w.object(declared)
	if w.m.of(field.Type()).file && !w.m.of(declared.Type()).file { // the type argument is *os.File
		dst.file = r.file
		w.intoOpen(dst, r.file, true)
	}
	if dst.file != none && !w.within(declared) && w.m.of(from).file {
		w.pin(w.expr(e).file, e.Pos(), fieldName(t, field)+holds(field.Type()))
		return
	}
	w.flow(dst, field.Type(), w.expr(e), from)
	if !w.within(declared) && w.m.of(field.Type()).open {
		w.toForeign(declared.Pkg(), field.Type(), e, w.expr(e), from)
	}
}
