package fix

import "go/types"

// contains reports whether is holds for t or for a part of it. Fields and methods of a type
// with a name are no parts.
func contains(t types.Type, is func(types.Type) bool) bool {
	return search{is, make(map[types.Type]bool)}.in(t)
}

type search struct {
	is   func(types.Type) bool
	seen map[types.Type]bool
}

func (s search) in(t types.Type) bool {
	t = types.Unalias(t)
	if s.seen[t] {
		return false
	}
	s.seen[t] = true
	if s.is(t) {
		return true
	}
	switch t := t.(type) {
	case interface{ Elem() types.Type }:
		if m, ok := t.(*types.Map); ok && s.in(m.Key()) {
			return true
		}
		return s.in(t.Elem())
	case *types.Signature:
		return s.inTuple(t.Params()) || s.inTuple(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if s.in(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if s.in(m.Type()) {
				return true
			}
		}
	case *types.Named:
		return s.inNamed(t)
	}
	return false
}

func (s search) inTuple(t *types.Tuple) bool {
	for v := range t.Variables() {
		if s.in(v.Type()) {
			return true
		}
	}
	return false
}

func (s search) inNamed(t *types.Named) bool {
	for arg := range t.TypeArgs().Types() {
		if s.in(arg) {
			return true
		}
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Interface:
		return false
	}
	return s.in(t.Underlying())
}

func isStruct(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Struct)
	return ok
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// isAny reports whether t is an interface without methods.
func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && !isTypeParam(t) && i.NumMethods() == 0 && i.NumEmbeddeds() == 0
}
