package fix

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// none is the node of what holds no file.
const none = -1

// classes are a union-find structure over nodes.
type classes []int

func (c *classes) find(n int) int {
	for (*c)[n] != n {
		(*c)[n] = (*c)[(*c)[n]]
		n = (*c)[n]
	}
	return n
}

func (c *classes) join(x, y int) {
	if x == none || y == none {
		return
	}
	x, y = c.find(x), c.find(y)
	(*c)[max(x, y)] = min(x, y)
}

// pin is why a class stays as it is, and where.
type pin struct {
	pos    token.Pos
	reason string
}

// comparePins orders pins by their places, so that the first one is reported. Pins without a
// place are last. Files have no order in the file set, as they are parsed at once.
func comparePins(fset *token.FileSet, p, q pin) int {
	if p.pos.IsValid() != q.pos.IsValid() {
		return int(q.pos - p.pos)
	}
	x, y := fset.File(p.pos), fset.File(q.pos)
	if x != y && x != nil && y != nil {
		return strings.Compare(x.Name(), y.Name())
	}
	return cmp.Or(int(p.pos-q.pos), strings.Compare(p.reason, q.reason))
}

// site is an expression in the source that names the type os.File, or a function that is
// replaced.
type site struct {
	expr   ast.Expr // os.File, or File if package os is imported with a dot
	with   string   // name in package sluice
	name   string   // os.Open
	call   bool     // a function
	files  bool     // of the type os.File, or with results of it
	node   int      // none for functions without files
	pinned *pin     // of a site that has no node
}

// shared is something that other files can name.
type shared struct {
	name   string
	member bool // a field or a method
	pos    token.Pos
	node   int
}

// open is a way of a file into an interface.
type open struct {
	node  int // of the files
	iface int // of the interface
}

// analysis is the nodes and classes of a program.
type analysis struct {
	p     *program
	c     *config // that is walked now
	info  *types.Info
	pkg   *unit
	m     *mentions
	memos map[*config]*mentions

	nodes  map[any]int // by token.Pos of an object's declaration, ast.Expr, or string
	files  classes     // of the files in nodes
	ifaces classes     // of the interface values in nodes

	pins   map[int][]pin // of nodes
	looked map[int][]pin // nodes whose interface values are looked at for an *os.File
	opens  []open
	edges  [][2]int // ways of interface values from node to node

	typeArgs  typeArgs
	holders   []holder      // structs that go into interfaces
	reflected map[int][]pin // nodes whose interface values go to package reflect
	embedded  []embedded
	looksMore *pin // the program looks for methods that only a sluice.File has

	sites   []*site
	siteOf  map[ast.Expr]*site
	shared  []shared
	shares  map[token.Pos]bool
	generic map[string]bool // methods with type parameters in their types
	// By package path: a generic function of it looks at types
	looksGeneric map[string]bool
	// By package path: why it looks for files in interface values, or ""
	looks     map[string]string
	linked    map[types.Object]bool // objects that are joined with the types that they name
	qualified map[*ast.Ident]bool   // names behind the dot of a selector
	// Type switches declare one variable a clause, all at one place
	clauses map[types.Object]ast.Node
}

func newAnalysis(p *program) *analysis {
	return &analysis{
		p: p, memos: make(map[*config]*mentions), nodes: make(map[any]int), pins: make(map[int][]pin),
		looked: make(map[int][]pin), typeArgs: newTypeArgs(p.fset),
		reflected: make(map[int][]pin), looksGeneric: make(map[string]bool),
		siteOf: make(map[ast.Expr]*site), shares: make(map[token.Pos]bool), looks: make(map[string]string), linked: make(map[types.Object]bool), qualified: make(map[*ast.Ident]bool),
	}
}

// node returns the node of a key, and whether it is new.
func (a *analysis) node(key any) (n int, fresh bool) {
	if n, ok := a.nodes[key]; ok {
		return n, false
	}
	n = len(a.files)
	a.files = append(a.files, n)
	a.ifaces = append(a.ifaces, n)
	a.nodes[key] = n
	return n, true
}

func (a *analysis) pin(n int, pos token.Pos, reason string) {
	if n != none {
		a.pins[n] = append(a.pins[n], pin{pos, reason})
	}
}

// pinOf returns the first reason for which the class of n is pinned, or nil.
func (a *analysis) pinOf(n int) *pin {
	root := a.files.find(n)
	var first *pin
	for other, pins := range a.pins {
		if a.files.find(other) != root {
			continue
		}
		for i := range pins {
			if first == nil || comparePins(a.p.fset, pins[i], *first) < 0 {
				first = &pins[i]
			}
		}
	}
	return first
}

// ref is what an expression holds: the node of its files and that of its interface values.
type ref struct{ file, open int }

var nothing = ref{none, none}

func both(n int) ref { return ref{n, n} }

// only returns the node n for what m mentions.
func only(n int, m mention) ref {
	r := nothing
	if m.file {
		r.file = n
	}
	if m.open {
		r.open = n
	}
	return r
}

func (a *analysis) join(x, y ref) {
	a.files.join(x.file, y.file)
	a.ifaces.join(x.open, y.open)
}

// flow notes that a value of the type from goes to a place of the type to.
func (a *analysis) flow(dst ref, to types.Type, src ref, from types.Type) {
	x, y := a.m.of(to), a.m.of(from)
	if x.file && y.file {
		a.files.join(dst.file, src.file)
	}
	switch {
	case !x.open || !y.open:
	case isOpen(to) && isOpen(from):
		a.passes(src.open, dst.open)
	default: // what is put into a slice or a map later is seen by both
		a.ifaces.join(dst.open, src.open)
	}
	if y.file && isOpen(to) {
		a.intoOpen(dst, src.file, x.open)
	}
	if isOpen(to) && hasMembers(from) {
		a.holds(dst.open, from)
	}
	a.flowFields(to, from)
}

// intoOpen notes that files go into an interface. One that no *os.File implements has no node
// of its own: a type such as box[*os.File] may be in it.
func (a *analysis) intoOpen(dst ref, file int, implemented bool) {
	if !implemented {
		dst.open = a.closed()
	}
	if file != none && dst.open != none {
		a.opens = append(a.opens, open{file, dst.open})
	}
}

// closed is the node of all interfaces that no *os.File implements.
func (a *analysis) closed() int {
	n, _ := a.node("interfaces without files")
	return n
}

// passes notes that interface values go from one node to another.
func (a *analysis) passes(from, to int) {
	if from != none && to != none {
		a.edges = append(a.edges, [2]int{from, to})
	}
}

// flowFields joins the fields of two struct types of which one is converted to the other.
func (a *analysis) flowFields(to, from types.Type) {
	if to == from {
		return
	}
	x, ok := pointee(to).Underlying().(*types.Struct)
	if !ok {
		return
	}
	y, ok := pointee(from).Underlying().(*types.Struct)
	if !ok || x == y || x.NumFields() != y.NumFields() {
		return
	}
	for i := range x.NumFields() {
		a.join(a.object(x.Field(i).Origin()), a.object(y.Field(i).Origin()))
	}
}

func pointee(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// isOpen reports whether t is an interface or a type parameter.
func isOpen(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	return types.IsInterface(t)
}

// within reports whether the object is declared in a module that is being worked on.
func (a *analysis) within(o types.Object) bool {
	s := a.p.source(o.Pos())
	return s != nil && s.module
}

// object returns the node of a variable, field, parameter, result or type.
func (a *analysis) object(o types.Object) ref {
	t := o.Type()
	if _, isType := o.(*types.TypeName); isType {
		if named, ok := types.Unalias(t).(*types.Named); ok && !o.(*types.TypeName).IsAlias() {
			t = named.Underlying()
		}
	}
	if !a.m.of(t).any() {
		return nothing
	}
	if !a.within(o) {
		return a.foreign(o, t)
	}
	var key any = o.Pos()
	if clause := a.clauses[o]; clause != nil {
		key = clause
	}
	n, _ := a.node(key)
	r := only(n, a.m.of(t))
	if !a.linked[o] { // each configuration has objects of its own
		a.linked[o] = true
		a.share(o, n)
		a.linkNames(r, t)
	}
	return r
}

// linkNames joins r, which is of the type t, with the named types in t.
func (a *analysis) linkNames(r ref, t types.Type) {
	a.m.named(t, func(name *types.TypeName) {
		declared := a.object(name)
		a.join(r, declared)
		if paramsOf(name).Len() > 0 && r.file != none { // a file here is a T there
			a.intoOpen(declared, r.file, true)
		}
	})
}

// share notes that other files can name o.
func (a *analysis) share(o types.Object, n int) {
	v, isVar := o.(*types.Var)
	if a.shares[o.Pos()] || isVar && !v.IsField() && (o.Pkg() == nil || o.Parent() != o.Pkg().Scope()) {
		return
	}
	a.shares[o.Pos()] = true
	a.shared = append(a.shared, shared{o.Name(), isMember(o), o.Pos(), n})
}

func isMember(o types.Object) bool {
	switch o := o.(type) {
	case *types.Var:
		return o.IsField()
	case *types.Func:
		return o.Signature().Recv() != nil
	}
	return false
}

// foreign returns the node of an object of another module or of the standard library.
func (a *analysis) foreign(o types.Object, t types.Type) ref {
	if _, isType := o.(*types.TypeName); isType && !a.m.of(t).file {
		return nothing
	}
	name := a.foreignName(o)
	n, fresh := a.node("object " + name)
	if fresh && a.m.of(t).file {
		a.pin(n, token.NoPos, foreignReason(o, name))
	}
	if fresh && o.Pkg() != nil && a.m.of(t).open {
		// This is for all ways of a file into the variable: an assignment of several values,
		// a range clause, a pointer to the variable.
		if looks := a.losesSight(o.Pkg(), t); looks != "" {
			a.looked[n] = append(a.looked[n], pin{token.NoPos, looks})
		} else { // no file is in the package in an any: none comes out of it in one
			a.passes(a.inside(o.Pkg()), n)
		}
		a.passes(n, a.inside(o.Pkg()))
	}
	return only(n, a.m.of(t))
}

// foreignReason returns why the files of a foreign object stay.
func foreignReason(o types.Object, name string) string {
	if _, isFunc := o.(*types.Func); isFunc {
		return name + " has an *os.File in its signature"
	}
	return name + " is an *os.File"
}

// foreignName returns the name of a foreign object as programs write it.
func (a *analysis) foreignName(o types.Object) string {
	if o.Pkg() == nil {
		return o.Name()
	}
	name := o.Pkg().Name() + "." + o.Name()
	if fn, ok := o.(*types.Func); ok {
		if recv := fn.Signature().Recv(); recv != nil {
			return "(" + types.TypeString(recv.Type(), func(p *types.Package) string { return p.Name() }) + ")." + o.Name()
		}
	}
	return name
}

// function returns the node of a function as a value: that of all its parameters and results.
func (a *analysis) function(fn *types.Func) ref {
	fn = fn.Origin()
	if !a.m.of(fn.Type()).any() {
		return nothing
	}
	if !a.within(fn) {
		return a.foreign(fn, fn.Type())
	}
	n, _ := a.node(fn.Pos())
	a.share(fn, n)
	r := only(n, a.m.of(fn.Type()))
	a.signature(r, fn.Signature())
	return r
}

// signature joins r with the parameters and results of a function of this program.
func (a *analysis) signature(r ref, s *types.Signature) {
	for v := range s.Params().Variables() {
		a.join(r, a.object(v))
	}
	for v := range s.Results().Variables() {
		a.join(r, a.object(v))
	}
}

// propagate pins the classes that reach an interface from which an *os.File is taken.
func (a *analysis) propagate() {
	looked := a.reachLooked(a.looked)
	for _, o := range a.opens {
		if p, ok := looked[a.ifaces.find(o.iface)]; ok {
			a.pin(o.node, p.pos, p.reason)
		}
	}
}

// reachLooked returns the classes of interface values of which some are looked at, each with
// the place.
func (a *analysis) reachLooked(looked map[int][]pin) map[int]pin {
	into := make(map[int][]int)
	for _, e := range a.edges {
		from, to := a.ifaces.find(e[0]), a.ifaces.find(e[1])
		into[to] = append(into[to], from)
	}
	type start struct {
		node int
		pin  pin
	}
	var starts []start
	for n, pins := range looked {
		for _, p := range pins {
			starts = append(starts, start{a.ifaces.find(n), p})
		}
	}
	slices.SortFunc(starts, func(x, y start) int {
		return cmp.Or(comparePins(a.p.fset, x.pin, y.pin), x.node-y.node)
	})
	found := make(map[int]pin)
	for _, s := range starts {
		for next := []int{s.node}; len(next) > 0; {
			n := next[0]
			next = next[1:]
			if _, seen := found[n]; !seen {
				found[n] = s.pin
				next = append(next, into[n]...)
			}
		}
	}
	return found
}

// pinExported pins what is in the API of library packages, unless exported is true.
func (a *analysis) pinExported(exported bool) {
	for _, c := range a.p.configs {
		a.configure(c)
		for _, u := range c.checked {
			a.interfaces(u)
			if !exported && u.types != nil && isAPI(u) {
				a.pinAPI(u)
			}
		}
	}
}

// isAPI reports whether other modules can import the package.
func isAPI(u *unit) bool {
	return u.Name != "main" && u.ForTest == "" && !strings.Contains("/"+u.PkgPath+"/", "/internal/") && u.Module != nil
}
