package fix

import (
	"go/ast"
	"go/types"
)

// replacedBy returns what replaces a function.
func replacedBy(fn *types.Func) (replacement, bool) {
	if fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return replacement{}, false
	}
	r, ok := replaced[[2]string{fn.Pkg().Path(), fn.Name()}]
	return r, ok
}

// at returns the node of an expression.
func (a *analysis) at(e ast.Expr) ref {
	n, _ := a.node(e)
	return both(n)
}

// siteAt returns the node of a site, which it adds if it is new.
func (a *analysis) siteAt(e ast.Expr, s site) ref {
	old := a.siteOf[e]
	if old == nil {
		s.expr = e
		a.siteOf[e] = &s
		old = &s
		old.node = none
		if s.files {
			old.node, _ = a.node(e)
			if p := a.p.notRewritable(e.Pos()); p != nil {
				a.pin(old.node, p.pos, p.reason)
			}
		}
		a.sites = append(a.sites, old)
	}
	if old.node == none {
		return nothing
	}
	return both(old.node)
}

// expr returns what an expression holds.
func (w *walker) expr(e ast.Expr) ref {
	if e == nil {
		return nothing
	}
	t := w.info.TypeOf(e)
	if t == nil {
		return nothing
	}
	if w.info.Types[e].IsType() {
		return w.typeExpr(e)
	}
	if _, isTuple := t.(*types.Tuple); !isTuple && !w.m.of(t).any() {
		if !w.replacedFunc(e) {
			return nothing
		}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.expr(e.X)
	case *ast.Ident:
		return w.use(e, e)
	case *ast.SelectorExpr:
		return w.selector(e)
	case *ast.StarExpr:
		w.zeroValue(e)
		return w.expr(e.X)
	case *ast.UnaryExpr:
		return w.expr(e.X)
	case *ast.SliceExpr:
		return w.expr(e.X)
	case *ast.IndexExpr:
		return w.index(e.X, []ast.Expr{e.Index}, e)
	case *ast.IndexListExpr:
		return w.index(e.X, e.Indices, e)
	case *ast.CallExpr:
		return w.result(e, 0)
	case *ast.CompositeLit, *ast.FuncLit, *ast.TypeAssertExpr:
		return w.at(e)
	}
	return nothing
}

// replacedFunc reports whether e is a function that is replaced.
func (w *walker) replacedFunc(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if s, isSelector := e.(*ast.SelectorExpr); isSelector {
		id, ok = s.Sel, true
	}
	if !ok {
		return false
	}
	fn, ok := w.info.Uses[id].(*types.Func)
	if !ok {
		return false
	}
	_, ok = replacedBy(fn)
	return ok
}

// use returns what an object holds. The expression e names it.
func (w *walker) use(id *ast.Ident, e ast.Expr) ref {
	o := w.info.ObjectOf(id)
	switch o := o.(type) {
	case *types.Var:
		return w.variable(o, e, w.foreignName(o))
	case *types.Func:
		if r, ok := replacedBy(o); ok {
			return w.siteAt(e, site{with: r.name, name: o.Pkg().Name() + "." + o.Name(), call: true, files: r.file})
		}
		w.instance(id, w.at(e).file)
		if w.m.of(o.Origin().Type()).any() {
			return w.instanceValue(e, o, w.funcValue(o, e))
		}
		return w.at(e) // the type arguments have files
	}
	return nothing
}

// variable returns what a variable or field holds. The expression e names it. Those of other
// packages stay as they are, and so does what is joined with them here, and not what is
// joined with them elsewhere.
func (w *walker) variable(o *types.Var, e ast.Expr, name string) ref {
	o = o.Origin()
	r := w.object(o)
	if r.file != none && !w.within(o) {
		r.file = w.stays(e, name+holds(o.Type()))
	}
	return r
}

// holds returns what a foreign variable of the type t is.
func holds(t types.Type) string {
	if isFile(pointee(t)) {
		return " is an *os.File"
	}
	return " has the type " + types.TypeString(t, (*types.Package).Name)
}

// fieldName returns the name of a field with that of its type.
func fieldName(t types.Type, field *types.Var) string {
	return types.TypeString(pointee(t), (*types.Package).Name) + "." + field.Name()
}

// funcValue returns what a function holds that is used as a value.
func (w *walker) funcValue(o *types.Func, e ast.Expr) ref {
	r := w.function(o)
	if r.file != none && !w.within(o.Origin()) {
		r.file = w.stays(e, w.foreignName(o)+" has an *os.File in its signature")
	}
	return r
}

// instanceValue returns what an instance of a function holds: the files of type arguments are
// its own, and go to the type parameters if it is called.
func (w *walker) instanceValue(e ast.Expr, o *types.Func, r ref) ref {
	if w.m.of(w.typeOf(e)).file && !w.m.of(o.Origin().Type()).file {
		r.file = w.at(e).file
		w.intoOpen(r, r.file, true)
	}
	return r
}

// stays returns the node of an expression that is pinned.
func (w *walker) stays(e ast.Expr, reason string) int {
	n := w.at(e).file
	if len(w.pins[n]) == 0 {
		w.pin(n, e.Pos(), reason)
	}
	return n
}

// selector returns what a selector holds.
func (w *walker) selector(e *ast.SelectorExpr) ref {
	s := w.info.Selections[e]
	if s == nil {
		return w.use(e.Sel, e)
	}
	switch o := s.Obj().(type) {
	case *types.Var:
		return w.member(e, o.Type(), o.Origin().Type(), w.variable(o, e, fieldName(s.Recv(), o)))
	case *types.Func:
		r := w.member(e, o.Type(), o.Origin().Type(), w.funcValue(o, e))
		if s.Kind() == types.MethodExpr {
			w.join(w.at(e), r)
			w.join(w.at(e), w.typeExpr(e.X))
			return w.at(e)
		}
		return r
	}
	return nothing
}

// member returns what a field or method holds: what its declaration says, or, for a type
// argument, what the value does to which it belongs.
func (w *walker) member(e *ast.SelectorExpr, t, declared types.Type, r ref) ref {
	now, then := w.m.of(t), w.m.of(declared)
	if now.file && !then.file {
		r.file = w.expr(e.X).file
		if then.open && r.open != none && r.file != none {
			w.opens = append(w.opens, open{r.file, r.open})
		}
	}
	if now.open && !then.open {
		r.open = w.expr(e.X).open
	}
	return r
}

// index returns what an element holds, or an instance of a function.
func (w *walker) index(x ast.Expr, args []ast.Expr, e ast.Expr) ref {
	r := w.expr(x)
	for _, arg := range args {
		if w.info.Types[arg].IsType() {
			t := w.typeExpr(arg)
			w.join(w.at(e), t)
			w.join(w.at(e), r)
			r = w.at(e)
		} else if t := w.info.TypeOf(arg); t != nil && w.m.of(t).any() {
			w.join(r, w.expr(arg)) // the key of a map
		}
	}
	return r
}

// typeExpr returns what values of the type in the source hold, and adds the sites in it.
func (w *walker) typeExpr(e ast.Expr) ref {
	switch e := e.(type) {
	case *ast.Ident:
		return w.typeName(e, e)
	case *ast.SelectorExpr:
		return w.typeName(e.Sel, e)
	case *ast.ParenExpr:
		return w.typeExpr(e.X)
	case *ast.StarExpr:
		return w.typeExpr(e.X)
	case *ast.Ellipsis:
		return w.typeExpr(e.Elt)
	case *ast.ArrayType:
		return w.typeExpr(e.Elt)
	case *ast.ChanType:
		return w.typeExpr(e.Value)
	case *ast.MapType:
		return w.typeExprs(e, e.Key, e.Value)
	case *ast.IndexExpr:
		return w.instanceType(e, e.X, e.Index)
	case *ast.IndexListExpr:
		return w.instanceType(e, append([]ast.Expr{e.X}, e.Indices...)...)
	case *ast.FuncType:
		var parts []ast.Expr
		for _, list := range []*ast.FieldList{e.Params, e.Results} {
			if list != nil {
				for _, f := range list.List {
					parts = append(parts, f.Type)
				}
			}
		}
		return w.typeExprs(e, parts...)
	case *ast.StructType:
		w.structType(e)
		w.sameStructs(e)
	case *ast.InterfaceType:
		w.interfaceType(e)
	case *ast.UnaryExpr: // ~T
		w.pin(w.typeExpr(e.X).file, e.Pos(), "a constraint names the type os.File")
	case *ast.BinaryExpr: // T | U
		w.pin(w.typeExpr(e.X).file, e.Pos(), "a constraint names the type os.File")
		w.pin(w.typeExpr(e.Y).file, e.Pos(), "a constraint names the type os.File")
	}
	return nothing
}

// typeExprs returns what a type of several parts holds.
func (w *walker) typeExprs(e ast.Expr, parts ...ast.Expr) ref {
	if t := w.info.TypeOf(e); t == nil || !w.m.of(t).any() {
		for _, part := range parts {
			w.typeExpr(part)
		}
		return nothing
	}
	r := w.at(e)
	for _, part := range parts {
		w.join(r, w.typeExpr(part))
	}
	return r
}

// instanceType returns what an instance of a generic type holds.
func (w *walker) instanceType(e ast.Expr, parts ...ast.Expr) ref {
	r := w.typeExprs(e, parts...)
	if id := nameOf(parts[0]); id != nil {
		w.instance(id, r.file)
		if o := w.info.Uses[id]; o != nil && r.file != none {
			w.intoOpen(w.object(o), r.file, true)
		}
	}
	return r
}

// typeName returns what values of a type hold.
func (w *walker) typeName(id *ast.Ident, e ast.Expr) ref {
	o, ok := w.info.Uses[id].(*types.TypeName)
	if !ok {
		return nothing
	}
	if !o.IsAlias() && isFile(o.Type()) {
		return w.siteAt(e, site{with: "File", name: "os.File", files: true})
	}
	named, ok := o.Type().(*types.Named)
	if ok && !o.IsAlias() {
		if _, ok := named.Underlying().(*types.Struct); ok {
			return nothing
		}
	}
	return w.object(o)
}

// structPart is a field of all struct types without a name that are the same.
type structPart struct {
	typ string
	i   int
}

// sameStructs joins the fields of a struct type without a name with those of the same type at
// other places.
func (w *walker) sameStructs(e *ast.StructType) {
	s, ok := w.info.TypeOf(e).(*types.Struct)
	if !ok {
		return
	}
	text := types.TypeString(s, (*types.Package).Path)
	for i := range s.NumFields() {
		if r := w.object(s.Field(i)); r != nothing {
			n, _ := w.node(structPart{text, i})
			w.join(both(n), r)
		}
	}
}

func (w *walker) structType(e *ast.StructType) {
	s, ok := w.info.TypeOf(e).(*types.Struct)
	if !ok {
		return
	}
	i := 0
	for _, f := range e.Fields.List {
		t := w.typeExpr(f.Type)
		w.zero(f.Type)
		for range max(1, len(f.Names)) {
			if i < s.NumFields() {
				w.join(w.object(s.Field(i)), t)
				if len(f.Names) == 0 && t.file != none {
					w.embedded = append(w.embedded, embedded{s.Field(i), t.file})
				}
				i++
			}
		}
	}
}

func (w *walker) interfaceType(e *ast.InterfaceType) {
	for _, f := range e.Methods.List {
		ft, ok := f.Type.(*ast.FuncType)
		if !ok || len(f.Names) == 0 {
			w.pin(w.typeExpr(f.Type).file, f.Pos(), "a constraint names the type os.File")
			continue
		}
		if fn, ok := w.info.Defs[f.Names[0]].(*types.Func); ok {
			w.variables(ft.Params, fn.Signature().Params())
			w.variables(ft.Results, fn.Signature().Results())
		}
	}
}

// zero pins the files of a type os.File without a star: the zero value of a sluice.File is
// not a closed file.
func (w *walker) zero(e ast.Expr) {
	if t := w.info.TypeOf(e); t != nil && isFile(t) {
		w.pin(w.typeExpr(e).file, e.Pos(), "the zero os.File is a closed file, a zero sluice.File is not")
	}
}

// zeroValue pins the files of a dereferenced pointer.
func (w *walker) zeroValue(e *ast.StarExpr) {
	if t := w.info.TypeOf(e); t != nil && isFile(t) {
		w.pin(w.expr(e.X).file, e.Pos(), "the os.File itself is copied")
	}
}
