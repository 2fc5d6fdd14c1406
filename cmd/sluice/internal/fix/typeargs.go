package fix

import (
	"go/ast"
	"go/token"
	"go/types"
)

// typeArgs is what the program does with the type parameters of generic functions and types,
// each known by its place. A type argument with an *os.File stays where the type parameter is
// compared with the type of an interface value, as in v.(T).
type typeArgs struct {
	fset      *token.FileSet
	receivers map[token.Pos]token.Pos   // the T of a method to the T of its type
	to        map[token.Pos][]token.Pos // from a type parameter to those that it is an argument for
	files     map[token.Pos]bool        // type parameters with an *os.File as argument
	asserts   []paramAssert
	compared  map[token.Pos]pin // type parameters that are compared with types
	instances []typeArg
	// Looked for in interfaces, with an *os.File in their types
	methods map[string]pin
	types   map[token.Pos]*types.Named // generic types by the places of their type parameters
}

// paramAssert is v.(T).
type paramAssert struct {
	params  []token.Pos
	src     int         // of v, or none
	method  *types.Func // of the interface T, or nil
	structs bool        // v.(struct{ F T })
	pin     pin
}

// typeArg is a type argument with an *os.File.
type typeArg struct {
	param token.Pos
	node  int
}

func newTypeArgs(fset *token.FileSet) typeArgs {
	return typeArgs{
		fset:      fset,
		receivers: make(map[token.Pos]token.Pos), to: make(map[token.Pos][]token.Pos),
		files: make(map[token.Pos]bool), compared: make(map[token.Pos]pin),
		methods: make(map[string]pin), types: make(map[token.Pos]*types.Named),
	}
}

// of returns the place of a type parameter.
func (t *typeArgs) of(param token.Pos) token.Pos {
	if declared, ok := t.receivers[param]; ok {
		return declared
	}
	return param
}

// paramsIn returns the type parameters in a type.
func paramsIn(t types.Type) []token.Pos {
	var params []token.Pos
	contains(t, func(t types.Type) bool {
		if p, ok := t.(*types.TypeParam); ok {
			params = append(params, p.Obj().Pos())
		}
		return false
	})
	return params
}

// paramsOf returns the type parameters of a generic function or type.
func paramsOf(o types.Object) *types.TypeParamList {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin().Signature().TypeParams()
	case *types.TypeName:
		switch t := o.Type().(type) {
		case *types.Named:
			return t.Origin().TypeParams()
		case *types.Alias:
			return t.Origin().TypeParams()
		}
	}
	return nil
}

// instances notes which type arguments the package has for which type parameters.
func (a *analysis) instances(u *unit) {
	for id, inst := range u.info.Instances {
		o := u.info.Uses[id]
		params := paramsOf(o)
		if params.Len() != inst.TypeArgs.Len() {
			continue
		}
		for i := range params.Len() {
			a.typeArg(o, params.At(i).Obj().Pos(), inst.TypeArgs.At(i))
		}
	}
}

// typeArg notes the type argument arg for a type parameter of o.
func (a *analysis) typeArg(o types.Object, param token.Pos, arg types.Type) {
	t := &a.typeArgs
	if a.m.of(arg).file {
		t.files[param] = true
	}
	for _, p := range paramsIn(arg) {
		t.to[p] = append(t.to[p], param)
	}
	if named, ok := types.Unalias(o.Type()).(*types.Named); ok {
		t.types[param] = named.Origin()
	}
	if o.Pkg() != nil && !a.within(o) && a.looksAtTypeArgs(o.Pkg().Path()) {
		t.compared[param] = pin{token.NoPos, "package " + o.Pkg().Name() + " looks at the type"}
	}
}

// instance notes that a node has the files of the type arguments of a generic function or
// type.
func (w *walker) instance(id *ast.Ident, node int) {
	inst, ok := w.info.Instances[id]
	params := paramsOf(w.info.Uses[id])
	if !ok || node == none || params.Len() != inst.TypeArgs.Len() {
		return
	}
	for i := range params.Len() {
		if w.m.of(inst.TypeArgs.At(i)).file {
			w.typeArgs.instances = append(w.typeArgs.instances, typeArg{params.At(i).Obj().Pos(), node})
		}
	}
}

// nameOf returns the name of a function or type that is called or instantiated.
func nameOf(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return nameOf(e.X)
	case *ast.IndexListExpr:
		return nameOf(e.X)
	}
	return nil
}

// receiverParams notes which type parameters of a method are those of its type.
func (w *walker) receiverParams(fn *types.Func) {
	recv := fn.Signature().Recv()
	if recv == nil {
		return
	}
	named, ok := pointee(recv.Type()).(*types.Named)
	if !ok {
		return
	}
	own, declared := fn.Signature().RecvTypeParams(), named.Origin().TypeParams()
	for i := range min(own.Len(), declared.Len()) {
		w.typeArgs.receivers[own.At(i).Obj().Pos()] = declared.At(i).Obj().Pos()
	}
}

// looksForParam notes that the program looks whether an interface value is of a type with a
// type parameter.
func (w *walker) looksForParam(e ast.Expr, t types.Type, src ref) {
	params := paramsIn(t)
	if len(params) == 0 {
		return
	}
	if src.open == none {
		src.open = w.closed()
	}
	reason := "the program looks for a " + types.ExprString(e) +
		" in an interface, which may have an *os.File as its type argument"
	w.typeArgs.asserts = append(w.typeArgs.asserts, paramAssert{
		params: params, src: src.open, structs: contains(t, isStruct), pin: pin{e.Pos(), reason},
	})
}

// comparesParam notes that a value whose type has a type parameter is compared with others, or
// is where sluice fix does not see it.
func (w *walker) comparesParam(t types.Type, pos token.Pos, reason string) {
	if params := paramsIn(t); len(params) > 0 {
		w.typeArgs.asserts = append(w.typeArgs.asserts,
			paramAssert{params: params, src: none, pin: pin{pos, reason}})
	}
}

// comparesInstances notes that the program looks for a type such as box[*os.File], which may be
// a box[T] elsewhere.
func (a *analysis) comparesInstances(t types.Type, why pin) {
	contains(t, func(t types.Type) bool {
		named, ok := t.(*types.Named)
		if !ok {
			return false
		}
		for i := range named.TypeArgs().Len() {
			if a.m.of(named.TypeArgs().At(i)).file {
				a.typeArgs.compare(named.Origin().TypeParams().At(i).Obj().Pos(), why)
			}
		}
		return false
	})
}

// observeTypeArgs pins the type arguments that are compared with types, and what reaches the
// interfaces that they are compared with.
func (a *analysis) observeTypeArgs() {
	t := &a.typeArgs
	for p := range t.files {
		t.spread(p)
	}
	for _, s := range t.asserts {
		for _, p := range s.params {
			if t.files[t.of(p)] {
				t.compare(t.of(p), s.pin)
				a.observeAssert(s)
			}
		}
	}
	for p, named := range t.types {
		for m := range named.Methods() {
			if why, ok := t.methods[m.Name()]; ok && t.files[p] {
				t.compare(p, why)
				a.pinMethod(m, why)
			}
		}
	}
	t.compareArguments()
	for _, i := range t.instances {
		if why, ok := t.compared[t.of(i.param)]; ok {
			a.pin(i.node, why.pos, why.reason)
		}
	}
}

// observeAssert pins what a type with an *os.File is compared with.
func (a *analysis) observeAssert(s paramAssert) {
	if s.src != none {
		a.looked[s.src] = append(a.looked[s.src], s.pin)
	}
	if s.method != nil {
		a.pinMethod(s.method, s.pin)
	}
	if s.structs {
		a.pinStructs(s.pin)
	}
}

// spread notes that a type parameter with an *os.File is an argument for others.
func (t *typeArgs) spread(p token.Pos) {
	for from, to := range t.to {
		if t.of(from) != p {
			continue
		}
		for _, next := range to {
			if !t.files[next] {
				t.files[next] = true
				t.spread(next)
			}
		}
	}
}

// compare notes that a type parameter is compared with types. The first place counts.
func (t *typeArgs) compare(p token.Pos, why pin) bool {
	if old, ok := t.compared[p]; ok && comparePins(t.fset, old, why) <= 0 {
		return false
	}
	t.compared[p] = why
	return true
}

// compareArguments notes that a type parameter is compared if it is an argument for one that
// is.
func (t *typeArgs) compareArguments() {
	for changed := true; changed; {
		changed = false
		for from, to := range t.to {
			for _, p := range to {
				if why, ok := t.compared[t.of(p)]; ok && t.compare(t.of(from), why) {
					changed = true
				}
			}
		}
	}
}

// pinMethod pins the files in all methods of the name of m.
func (a *analysis) pinMethod(m *types.Func, why pin) {
	a.parts(m, func(n int, _ *types.Var) { a.pin(n, why.pos, why.reason) })
}

// pinStructs pins the files in the fields of all struct types without a name.
func (a *analysis) pinStructs(why pin) {
	for key, n := range a.nodes {
		if _, ok := key.(structPart); ok {
			a.pin(n, why.pos, why.reason)
		}
	}
}
