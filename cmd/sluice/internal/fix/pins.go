package fix

import (
	"go/token"
	"go/types"
	"strings"
)

// pinAPI pins the files in exported names of the package.
func (a *analysis) pinAPI(u *unit) {
	scope := u.types.Scope()
	for _, name := range scope.Names() {
		o := scope.Lookup(name)
		if !o.Exported() || a.inTest(o.Pos()) {
			continue
		}
		switch o := o.(type) {
		case *types.Var:
			a.pinExportedRef(a.object(o), o.Pos(), "variable "+name)
		case *types.Func:
			a.pinSignature(o, name)
		case *types.TypeName:
			a.pinExportedRef(a.object(o), o.Pos(), "type "+name)
			a.pinType(o.Type(), name, make(map[types.Type]bool))
		}
	}
}

func (a *analysis) inTest(pos token.Pos) bool {
	return strings.HasSuffix(a.p.fset.Position(pos).Filename, "_test.go")
}

func (a *analysis) pinExportedRef(r ref, pos token.Pos, what string) {
	if r.file != none {
		a.pin(r.file, pos, what+" is exported, and -exported is not set")
	}
}

func (a *analysis) pinSignature(fn *types.Func, name string) {
	s := fn.Origin().Signature()
	for _, t := range []*types.Tuple{s.Params(), s.Results()} {
		for v := range t.Variables() {
			if a.m.of(v.Type()).file {
				a.pinExportedRef(a.object(v), fn.Pos(), "function "+name)
			}
		}
	}
}

// pinType pins the exported fields and methods of a type and of its embedded fields.
func (a *analysis) pinType(t types.Type, name string, seen map[types.Type]bool) {
	t = pointee(types.Unalias(t))
	if seen[t] {
		return
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok {
		n = n.Origin()
		if !a.within(n.Obj()) {
			return
		}
		for m := range n.Methods() {
			if m.Exported() {
				a.pinSignature(m, name+"."+m.Name())
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() && a.m.of(f.Type()).file {
				a.pinExportedRef(a.object(f.Origin()), f.Pos(), "field "+name+"."+f.Name())
			}
			if _, unnamed := types.Unalias(f.Type()).(*types.Struct); f.Embedded() || f.Exported() && unnamed {
				a.pinType(f.Type(), name, seen)
			}
		}
	case *types.Interface:
		for m := range u.Methods() {
			if m.Exported() && a.within(m) {
				a.pinSignature(m, name+"."+m.Name())
			}
		}
	}
}

// typesOf returns the types of parameters or results, without their names.
func typesOf(t *types.Tuple) string {
	var text strings.Builder
	for v := range t.Variables() {
		text.WriteString(", " + types.TypeString(v.Type(), (*types.Package).Path))
	}
	return "(" + text.String() + ")"
}
