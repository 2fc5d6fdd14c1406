package fix

import (
	"fmt"
	"go/types"
)

// methodPart is a parameter or result of all methods of one name and type.
type methodPart struct {
	method string
	result bool
	i      int
}

// interfaces collects the methods with files of the package's types, so that those which may
// implement each other keep the same types.
func (a *analysis) interfaces(u *unit) {
	for _, o := range u.info.Defs {
		fn, ok := o.(*types.Func)
		if !ok || fn.Signature().Recv() == nil || !a.m.of(fn.Type()).any() {
			continue
		}
		a.parts(fn, func(n int, v *types.Var) {
			a.join(both(n), a.object(v))
			if fn.Name() == "ReadFrom" || fn.Name() == "WriteTo" { // io.Copy calls them
				a.passes(a.insideAny(), n)
			}
		})
	}
}

// parts calls do for each parameter and result of a method that may hold a file, with the node
// that it shares with other methods.
func (a *analysis) parts(fn *types.Func, do func(n int, v *types.Var)) {
	s := fn.Origin().Signature()
	key, generic := a.methodKey(fn)
	for _, t := range []*types.Tuple{s.Params(), s.Results()} {
		for i := range t.Len() {
			if !a.m.of(t.At(i).Type()).any() {
				continue
			}
			n, fresh := a.node(methodPart{key, t == s.Results(), i})
			if fresh && generic { // a file here is a T there
				a.opens = append(a.opens, open{n, n})
			}
			do(n, t.At(i))
		}
	}
}

// methodKey returns the name and type of a method. Where a type parameter is in the type of
// one method of the name, only the numbers of parameters and results count.
func (a *analysis) methodKey(fn *types.Func) (key string, generic bool) {
	s := fn.Origin().Signature()
	key = fmt.Sprintf("%s(%d)(%d)", fn.Name(), s.Params().Len(), s.Results().Len())
	if a.genericMethods()[key] {
		return key, true
	}
	return fn.Name() + typesOf(s.Params()) + typesOf(s.Results()), false
}

// genericMethods returns the methods that have a type parameter in their types.
func (a *analysis) genericMethods() map[string]bool {
	if a.generic != nil {
		return a.generic
	}
	a.generic = make(map[string]bool)
	for _, c := range a.p.configs {
		for _, u := range c.checked {
			for _, o := range u.info.Defs {
				fn, ok := o.(*types.Func)
				if !ok || fn.Signature().Recv() == nil || !contains(fn.Type(), isTypeParam) {
					continue
				}
				s := fn.Signature()
				a.generic[fmt.Sprintf("%s(%d)(%d)", fn.Name(), s.Params().Len(), s.Results().Len())] = true
			}
		}
	}
	return a.generic
}

// methodsOf notes that another package may call the methods of a value that goes to it in an
// interface.
func (a *analysis) methodsOf(pkg *types.Package, to types.Type) {
	i, ok := to.Underlying().(*types.Interface)
	if !ok || isTypeParam(to) {
		return
	}
	for m := range i.Methods() {
		a.linkMethod(pkg, m)
	}
}

// callsMethod notes a call of a method of an interface of another package: a method of the
// program may be what is called.
func (a *analysis) callsMethod(fn *types.Func) {
	if recv := fn.Signature().Recv(); recv != nil && !a.within(fn) && types.IsInterface(recv.Type()) {
		a.linkMethod(fn.Pkg(), fn)
	}
}

func (a *analysis) linkMethod(pkg *types.Package, m *types.Func) {
	if pkg == nil || !a.m.of(m.Type()).open {
		return
	}
	a.parts(m, func(n int, _ *types.Var) {
		a.passes(n, a.inside(pkg))
		a.passes(a.inside(pkg), n)
	})
}
