package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// For another system, a function of a file that the current system builds, too, has a body only if
// the function has a name that depends on the system. All expressions of other functions have the
// types that they have on the current system. A name depends on the system if a file declares it
// that the current system does not build, or if its declaration has another name that depends on
// the system. So a large package is type-checked with all bodies once, not once for each system.

// differs says how a system differs from the current one.
type differs struct {
	only  map[string]bool  // the import paths of the packages that are looked at
	files map[*source]bool // that the system builds, and the current one does not
	names map[string]bool  // that depend on the system
}

// differs returns how a system differs that builds these files, which the current one does not.
func (p *program) differs(first *config, files []*source) *differs {
	d := &differs{
		only:  p.differing(first, files),
		files: make(map[*source]bool), names: make(map[string]bool),
	}
	s := &shown{names: d.names, members: d.names, inside: true}
	for _, src := range files {
		d.files[src] = true
		if src.tree != nil {
			s.add(src.tree)
		}
	}
	seen := make(map[*ast.File]bool) // variants of a package for tests share files
	var left []ast.Node              // declarations that have none of the names
	for _, u := range first.module {
		for _, tree := range u.trees {
			if !seen[tree] {
				seen[tree] = true
				left = append(left, specs(tree)...)
			}
		}
	}
	for more := true; more; { // a declaration may add names for the next ones
		more = false
		left = slices.DeleteFunc(left, func(n ast.Node) bool {
			if !has(n, d.names) {
				return false
			}
			s.addDecl(n)
			more = true
			return true
		})
	}
	return d
}

// specs returns what a file declares that may hold a file: functions without their bodies, and the
// specs of variables and types.
func specs(tree *ast.File) (list []ast.Node) {
	for _, decl := range tree.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			list = append(list, withoutBody(decl))
		case *ast.GenDecl:
			if decl.Tok != token.VAR && decl.Tok != token.TYPE {
				continue
			}
			for _, s := range decl.Specs {
				list = append(list, s)
			}
		}
	}
	return list
}

func withoutBody(f *ast.FuncDecl) *ast.FuncDecl {
	without := *f
	without.Body = nil
	return &without
}

// has reports whether one of the names is in n.
func has(n ast.Node, names map[string]bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found = found || names[id.Name]
		}
		return !found
	})
	return found
}

// strip returns the tree of a file that the current system builds, without the bodies that are the
// same on both systems. Without one it returns the tree itself.
func (d *differs) strip(tree *ast.File) *ast.File {
	decls := slices.Clone(tree.Decls)
	stripped := false
	for i, decl := range decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && !needsBody(f) && !has(f, d.names) {
			decls[i] = withoutBody(f)
			stripped = true
		}
	}
	if !stripped {
		return tree
	}
	without := *tree
	without.Decls = decls
	return &without
}

// needsBody reports whether go/types wants the function to have a body.
func needsBody(f *ast.FuncDecl) bool {
	return f.Recv == nil && (f.Type.TypeParams != nil || f.Name.Name == "init" || f.Name.Name == "main")
}

// looked returns the tree of a file, or of its draft, with the bodies that c looks at.
func (c *config) looked(s *source, tree *ast.File) *ast.File {
	if !c.strips(s) {
		return tree
	}
	return c.differs.strip(tree)
}

// strips reports whether functions of a file are looked at without their bodies.
func (c *config) strips(s *source) bool { return c.differs != nil && !c.differs.files[s] }

// unfounded reports whether an error may be there because bodies are missing: an import that only
// they use.
func (p *program) unfounded(c *config, e types.Error) bool {
	return e.Soft && c.differs != nil && !c.differs.files[p.source(e.Pos)]
}
