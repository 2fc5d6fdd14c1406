package fix

import (
	"go/ast"
	"go/token"
	"go/types"
)

// configure makes c the configuration whose types are looked at.
func (a *analysis) configure(c *config) {
	if a.memos[c] == nil {
		m := &mentions{memo: make(map[types.Type]mention)}
		for _, u := range c.packages {
			if u.PkgPath == "os" && u.types != nil {
				if o := u.types.Scope().Lookup("File"); o != nil {
					m.file = types.NewPointer(o.Type())
				}
			}
		}
		a.memos[c] = m
	}
	a.c, a.m = c, a.memos[c]
}

// walk joins what flows together in a package.
func (a *analysis) walk(c *config, u *unit) {
	a.configure(c)
	a.pkg, a.info = u, u.info
	if a.m.file == nil {
		return // nothing imports package os
	}
	a.clauses = make(map[types.Object]ast.Node)
	for n, o := range u.info.Implicits {
		if clause, ok := n.(*ast.CaseClause); ok {
			a.clauses[o] = clause
		}
	}
	a.instances(u)
	for _, tree := range u.looked {
		w := walker{analysis: a}
		ast.Inspect(tree, w.visit)
		w.linknames(tree)
	}
}

// walker walks a file, or the body of a function.
type walker struct {
	*analysis
	results *types.Tuple // of the function that is walked
}

// visit is called for each node of the tree.
func (w *walker) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.FuncDecl:
		w.funcDecl(n)
		return false
	case *ast.FuncLit:
		w.funcLit(n)
		return false
	case *ast.TypeSpec:
		w.typeSpec(n)
	case *ast.ValueSpec:
		w.valueSpec(n)
	case *ast.AssignStmt:
		w.assign(n.Lhs, n.Rhs)
	case *ast.ReturnStmt:
		w.returns(n)
	case *ast.RangeStmt:
		w.ranges(n)
	case *ast.SendStmt:
		w.flowExpr(w.expr(n.Chan), w.elem(n.Chan), n.Value)
	case *ast.CallExpr:
		w.call(n)
	case *ast.CompositeLit:
		w.composite(n)
	case *ast.BinaryExpr:
		w.binary(n)
	case *ast.SwitchStmt:
		w.switches(n)
	case *ast.TypeSwitchStmt:
		w.typeSwitch(n)
	case *ast.TypeAssertExpr:
		w.assert(n)
	case *ast.IndexExpr:
		w.key(n)
		w.expr(n)
	case *ast.IndexListExpr:
		w.expr(n)
	case *ast.SelectorExpr:
		w.qualified[n.Sel] = true
		w.expr(n)
	case *ast.Ident:
		w.ident(n)
	}
	return true
}

// ident sees the names that an import of package os with a dot brings in.
func (w *walker) ident(id *ast.Ident) {
	if o := w.info.Uses[id]; o != nil && !w.qualified[id] && o.Pkg() != nil && o.Pkg() != w.pkg.types {
		w.expr(id)
	}
}

func (w *walker) funcDecl(n *ast.FuncDecl) {
	fn, ok := w.info.Defs[n.Name].(*types.Func)
	if !ok {
		return
	}
	w.fields(n.Recv)
	w.receiverParams(fn)
	w.function(fn)
	w.body(n.Type, n.Body, fn.Signature())
	if n.Body == nil && !w.c.strips(w.p.source(n.Pos())) {
		w.pinElsewhere(fn, n.Pos(), "function "+fn.Name()+" has its body elsewhere")
	}
}

func (w *walker) funcLit(n *ast.FuncLit) {
	s, ok := w.info.TypeOf(n).(*types.Signature)
	if !ok {
		return
	}
	w.signature(w.at(n), s)
	w.body(n.Type, n.Body, s)
}

// body walks a function.
func (w *walker) body(t *ast.FuncType, body *ast.BlockStmt, s *types.Signature) {
	w.fields(t.TypeParams)
	w.variables(t.Params, s.Params())
	w.variables(t.Results, s.Results())
	if body != nil {
		inner := walker{analysis: w.analysis, results: s.Results()}
		ast.Inspect(body, inner.visit)
	}
}

// fields walks the types of a list of fields that declare no nodes.
func (w *walker) fields(list *ast.FieldList) {
	if list != nil {
		for _, f := range list.List {
			w.typeExpr(f.Type)
		}
	}
}

// variables joins parameters or results with the types in the source.
func (w *walker) variables(list *ast.FieldList, vars *types.Tuple) {
	if list == nil {
		return
	}
	i := 0
	for _, f := range list.List {
		t := w.typeExpr(f.Type)
		for range max(1, len(f.Names)) {
			if i < vars.Len() {
				w.join(w.object(vars.At(i)), t)
				i++
			}
		}
	}
}

func (w *walker) typeSpec(n *ast.TypeSpec) {
	w.fields(n.TypeParams)
	t := nothing
	if s, ok := n.Type.(*ast.StructType); ok && !n.Assign.IsValid() {
		w.structType(s)
	} else {
		t = w.typeExpr(n.Type)
	}
	if o := w.info.Defs[n.Name]; o != nil {
		w.join(w.object(o), t)
		if !n.Assign.IsValid() { // an alias does not copy the type
			w.zero(n.Type)
		}
	}
}

func (w *walker) valueSpec(n *ast.ValueSpec) {
	if n.Type != nil {
		t := w.typeExpr(n.Type)
		for _, name := range n.Names {
			if o := w.info.Defs[name]; o != nil {
				w.join(w.object(o), t)
			}
		}
		w.zero(n.Type)
	}
	if len(n.Values) > 0 {
		left := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			left[i] = name
		}
		w.assign(left, n.Values)
	}
}

// assign joins both sides of an assignment.
func (w *walker) assign(left, right []ast.Expr) {
	if len(left) == len(right) {
		for i := range left {
			w.flowExpr(w.expr(left[i]), w.info.TypeOf(left[i]), right[i])
			w.toForeignVar(left[i], right[i])
		}
		return
	}
	if len(right) != 1 {
		return
	}
	for i := range left {
		src, from := w.part(right[0], i)
		if from != nil {
			w.flow(w.expr(left[i]), w.typeOf(left[i]), src, from)
		}
	}
}

// toForeignVar notes an assignment to a variable or field of another package, with its place.
// Without it files that get there stay, too; see foreign.
func (w *walker) toForeignVar(left, right ast.Expr) {
	id, ok := ast.Unparen(left).(*ast.Ident)
	if sel, isSelector := ast.Unparen(left).(*ast.SelectorExpr); isSelector {
		id, ok = sel.Sel, true
	}
	if !ok {
		return
	}
	v, ok := w.info.Uses[id].(*types.Var)
	if from := w.info.TypeOf(right); ok && from != nil && !w.within(v.Origin()) && w.m.of(v.Type()).open {
		w.toForeign(v.Pkg(), v.Type(), right, w.expr(right), from)
	}
}

// part returns the i-th value of an expression with several.
func (w *walker) part(e ast.Expr, i int) (ref, types.Type) {
	e = ast.Unparen(e)
	tuple, ok := w.info.TypeOf(e).(*types.Tuple)
	if call, isCall := e.(*ast.CallExpr); isCall && ok && i < tuple.Len() {
		return w.result(call, i), tuple.At(i).Type()
	}
	if ok && i == 0 && tuple.Len() > 0 { // v, ok := m[k], <-c or x.(T)
		return w.expr(e), tuple.At(0).Type()
	}
	return nothing, nil
}

// typeOf returns the type of e, or an empty tuple if e has none, as the blank identifier.
func (w *walker) typeOf(e ast.Expr) types.Type {
	if t := w.info.TypeOf(e); t != nil {
		return t
	}
	return types.NewTuple()
}

// flowExpr notes that e goes to dst.
func (w *walker) flowExpr(dst ref, to types.Type, e ast.Expr) {
	from := w.info.TypeOf(e)
	if to == nil || from == nil {
		return
	}
	w.flow(dst, to, w.expr(e), from)
}

func (w *walker) returns(n *ast.ReturnStmt) {
	if w.results == nil {
		return
	}
	for i := range w.results.Len() {
		v := w.results.At(i)
		switch {
		case len(n.Results) == w.results.Len():
			w.flowExpr(w.object(v), v.Type(), n.Results[i])
		case len(n.Results) == 1:
			if src, from := w.part(n.Results[0], i); from != nil {
				w.flow(w.object(v), v.Type(), src, from)
			}
		}
	}
}

func (w *walker) ranges(n *ast.RangeStmt) {
	x := w.expr(n.X)
	for _, e := range []ast.Expr{n.Key, n.Value} {
		if e != nil && w.info.TypeOf(e) != nil {
			t := w.info.TypeOf(e)
			w.flow(w.expr(e), t, x, t)
		}
	}
}

// key notes that a value is the key of a map.
func (w *walker) key(n *ast.IndexExpr) {
	if m, ok := coreType(w.typeOf(n.X)).(*types.Map); ok {
		w.flowExpr(w.expr(n.X), m.Key(), n.Index)
		if types.IsInterface(m.Key()) {
			w.comparesParam(w.typeOf(n.Index), n.Index.Pos(), "it is in the type of a key of a map")
		}
	}
}

// elem returns the type of the elements of a channel.
func (w *walker) elem(e ast.Expr) types.Type {
	if t := w.info.TypeOf(e); t != nil {
		if c, ok := coreType(t).(*types.Chan); ok {
			return c.Elem()
		}
	}
	return nil
}

// coreType returns the underlying type, for a type parameter that of its constraint's only
// term.
func coreType(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if i, ok := p.Constraint().Underlying().(*types.Interface); ok && i.NumEmbeddeds() == 1 {
			if u, ok := i.EmbeddedType(0).(*types.Union); ok && u.Len() == 1 {
				return u.Term(0).Type().Underlying()
			}
		}
	}
	return t.Underlying()
}

func (w *walker) binary(n *ast.BinaryExpr) {
	if n.Op == token.EQL || n.Op == token.NEQ {
		w.compare(n.X, n.Y)
	}
}

// compare joins two expressions that are compared: their types must be the same.
func (w *walker) compare(x, y ast.Expr) {
	tx, ty := w.info.TypeOf(x), w.info.TypeOf(y)
	if tx == nil || ty == nil || !w.m.of(tx).any() || !w.m.of(ty).any() {
		return
	}
	if types.IsInterface(tx) || types.IsInterface(ty) {
		w.comparesParam(tx, x.Pos(), "it is in the type of a value that is compared")
		w.comparesParam(ty, y.Pos(), "it is in the type of a value that is compared")
	}
	rx, ry := w.expr(x), w.expr(y)
	switch {
	case isOpen(tx) && !isOpen(ty):
		w.flow(rx, tx, ry, ty)
	case isOpen(ty) && !isOpen(tx):
		w.flow(ry, ty, rx, tx)
	default:
		w.files.join(rx.file, ry.file)
	}
}

func (w *walker) switches(n *ast.SwitchStmt) {
	if n.Tag == nil {
		return
	}
	for _, clause := range n.Body.List {
		for _, e := range clause.(*ast.CaseClause).List {
			w.compare(n.Tag, e)
		}
	}
}

// typeSwitch joins the variables of the clauses with the interface value.
func (w *walker) typeSwitch(n *ast.TypeSwitchStmt) {
	var x ast.Expr
	switch s := n.Assign.(type) {
	case *ast.ExprStmt:
		x = ast.Unparen(s.X).(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = ast.Unparen(s.Rhs[0]).(*ast.TypeAssertExpr).X
	}
	src := w.expr(x)
	for _, stmt := range n.Body.List {
		clause := stmt.(*ast.CaseClause)
		v := nothing
		if o := w.info.Implicits[clause]; o != nil {
			v = w.object(o)
			if isOpen(o.Type()) {
				w.passes(src.open, v.open)
			}
		}
		for _, e := range clause.List {
			if w.info.Types[e].IsType() {
				w.looksFor(e, src, v)
			}
		}
	}
}

// assert joins a type assertion with the interface value.
func (w *walker) assert(n *ast.TypeAssertExpr) {
	if n.Type == nil { // of a type switch
		return
	}
	w.looksFor(n.Type, w.expr(n.X), w.at(n))
}

// looksFor notes that the program looks whether an interface value is of the type e.
func (w *walker) looksFor(e ast.Expr, src, dst ref) {
	t := w.info.TypeOf(e)
	if t == nil {
		return
	}
	r := w.typeExpr(e)
	w.join(dst, r)
	w.looksForParam(e, t, src)
	if isOpen(t) {
		w.looksForMethods(e, t, src)
		w.passes(src.open, dst.open)
		return
	}
	if w.m.of(t).open { // x.([]any)
		w.ifaces.join(dst.open, src.open)
	}
	if !w.m.of(t).file {
		return
	}
	const reason = "the program looks for an *os.File in an interface"
	w.pin(r.file, e.Pos(), reason)
	w.look(src, e.Pos(), reason)
	w.comparesInstances(t, pin{e.Pos(), reason})
}
