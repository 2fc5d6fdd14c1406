package fix

import "go/types"

// mention is what the values of a type may hold, besides what fields of structs hold: these
// are nodes of their own.
type mention struct {
	file bool // *os.File, or os.File
	open bool // an interface or a type parameter that an *os.File implements
}

func (m mention) any() bool { return m.file || m.open }

func (m mention) or(n mention) mention { return mention{m.file || n.file, m.open || n.open} }

// mentions computes mentions for the types of one configuration.
type mentions struct {
	file *types.Pointer // *os.File, or nil if nothing imports package os
	memo map[types.Type]mention
}

// isFile reports whether t is the type os.File.
func isFile(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "File" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "os"
}

func (m *mentions) of(t types.Type) mention {
	if t == nil {
		return mention{}
	}
	if found, ok := m.memo[t]; ok {
		return found
	}
	m.memo[t] = mention{} // a type that contains itself adds nothing
	found := m.compute(t)
	m.memo[t] = found
	return found
}

func (m *mentions) compute(t types.Type) mention {
	switch t := t.(type) {
	case *types.Alias:
		return m.of(types.Unalias(t))
	case *types.Pointer:
		return m.of(t.Elem())
	case *types.Slice:
		return m.of(t.Elem())
	case *types.Array:
		return m.of(t.Elem())
	case *types.Chan:
		return m.of(t.Elem())
	case *types.Map:
		return m.of(t.Key()).or(m.of(t.Elem()))
	case *types.Tuple:
		var found mention
		for v := range t.Variables() {
			found = found.or(m.of(v.Type()))
		}
		return found
	case *types.Signature:
		return m.of(t.Params()).or(m.of(t.Results()))
	case *types.TypeParam:
		return mention{open: true}
	case *types.Interface:
		return mention{open: m.file != nil && types.Implements(m.file, t)}
	case *types.Named:
		if isFile(t) {
			return mention{file: true}
		}
		found := m.arguments(t)
		if _, ok := t.Underlying().(*types.Struct); !ok {
			found = found.or(m.of(t.Underlying()))
		}
		return found
	}
	return mention{}
}

// arguments returns what the type arguments of t mention.
func (m *mentions) arguments(t *types.Named) mention {
	var found mention
	for arg := range t.TypeArgs().Types() {
		found = found.or(m.of(arg))
	}
	return found
}

// named calls do for each type with a name that t mentions and whose values hold what its
// declaration says.
func (m *mentions) named(t types.Type, do func(*types.TypeName)) {
	switch t := t.(type) {
	case *types.Alias:
		if m.of(t).any() {
			do(t.Obj())
		}
		m.named(types.Unalias(t), do)
	case *types.Pointer:
		m.named(t.Elem(), do)
	case *types.Slice:
		m.named(t.Elem(), do)
	case *types.Array:
		m.named(t.Elem(), do)
	case *types.Chan:
		m.named(t.Elem(), do)
	case *types.Map:
		m.named(t.Key(), do)
		m.named(t.Elem(), do)
	case *types.Tuple:
		for v := range t.Variables() {
			m.named(v.Type(), do)
		}
	case *types.Signature:
		m.named(t.Params(), do)
		m.named(t.Results(), do)
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			m.named(arg, do)
		}
		if isFile(t) {
			return
		}
		switch t.Origin().Underlying().(type) {
		case *types.Struct, *types.Interface:
		default:
			if m.of(t.Origin().Underlying()).any() {
				do(t.Origin().Obj())
			}
		}
	}
}
