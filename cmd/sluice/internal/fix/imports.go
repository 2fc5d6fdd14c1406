package fix

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// importEdits changes the imports of a file.
type importEdits struct {
	p      *program
	d      *draft
	unused []*ast.ImportSpec
	line   string // the import to add, or ""
}

func (i *importEdits) edit() {
	decl := i.place()
	for _, s := range i.d.source.tree.Decls {
		if g, ok := s.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			i.declaration(g, g == decl)
		}
	}
}

// place returns the declaration to which the import is added: one with parentheses, if there
// is one.
func (i *importEdits) place() *ast.GenDecl {
	var found *ast.GenDecl
	for _, decl := range i.d.source.tree.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT || isC(g) {
			continue
		}
		if found == nil || !found.Lparen.IsValid() && g.Lparen.IsValid() {
			found = g
		}
	}
	return found
}

func isC(g *ast.GenDecl) bool {
	return slices.ContainsFunc(g.Specs, func(s ast.Spec) bool { return s.(*ast.ImportSpec).Path.Value == `"C"` })
}

// declaration removes what is unused from a declaration, and adds the new import to it.
func (i *importEdits) declaration(g *ast.GenDecl, add bool) {
	add = add && i.line != ""
	left := slices.DeleteFunc(slices.Clone(g.Specs), func(s ast.Spec) bool { return slices.Contains(i.unused, s.(*ast.ImportSpec)) })
	switch {
	case len(left) == len(g.Specs) && !add:
	case !g.Lparen.IsValid() && len(left) == 0 && add:
		i.d.replace(i.p, g.Specs[0].Pos(), g.Specs[0].End(), i.line)
	case !g.Lparen.IsValid() && len(left) == 0:
		i.removeLines(g.Pos(), g.End())
	case !g.Lparen.IsValid():
		i.d.replace(i.p, g.Specs[0].Pos(), g.Specs[0].Pos(), "(\n\t")
		i.after(g.Specs[0], i.gap(g.Specs[0])+"\t"+i.line+"\n)")
	case len(left) == 0 && !add:
		i.removeLines(g.Pos(), g.End())
	default:
		if add {
			i.insert(g, left)
		}
		for _, s := range g.Specs {
			if slices.Contains(i.unused, s.(*ast.ImportSpec)) {
				i.removeSpec(s.(*ast.ImportSpec))
			}
		}
	}
}

// gap returns what is between an import and the new one: an empty line after one of the
// standard library.
func (i *importEdits) gap(after ast.Spec) string {
	if domain(after) {
		return "\n"
	}
	return "\n\n"
}

// domain reports whether the first element of the import path has a dot.
func domain(s ast.Spec) bool {
	path, _ := strconv.Unquote(s.(*ast.ImportSpec).Path.Value)
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}

// insert adds the import to a declaration with parentheses: in the order of the alphabet to
// the first group that has paths with a domain, or as a group of its own at the end.
func (i *importEdits) insert(g *ast.GenDecl, left []ast.Spec) {
	group := i.group(g)
	for _, s := range group {
		if s.(*ast.ImportSpec).Path.Value > strconv.Quote(modulePath) {
			at := s.Pos()
			if doc := s.(*ast.ImportSpec).Doc; doc != nil {
				at = doc.Pos()
			}
			i.d.replace(i.p, at, at, i.line+"\n\t")
			return
		}
	}
	if len(group) > 0 {
		i.after(group[len(group)-1], "\n\t"+i.line)
		return
	}
	if len(left) == 0 {
		i.d.replace(i.p, g.Rparen, g.Rparen, "\t"+i.line+"\n")
		return
	}
	i.after(left[len(left)-1], "\n\n\t"+i.line)
}

// after inserts text after a spec and its comment.
func (i *importEdits) after(s ast.Spec, text string) {
	at := s.End()
	if c := s.(*ast.ImportSpec).Comment; c != nil {
		at = c.End()
	}
	i.d.replace(i.p, at, at, text)
}

// group returns the imports of the first group whose paths have domains.
func (i *importEdits) group(g *ast.GenDecl) []ast.Spec {
	var group []ast.Spec
	last := 0
	for _, s := range g.Specs {
		line := i.p.fset.PositionFor(s.Pos(), false).Line
		if doc := s.(*ast.ImportSpec).Doc; doc != nil {
			line = i.p.fset.PositionFor(doc.Pos(), false).Line
		}
		if len(group) > 0 && line > last+1 {
			break
		}
		if domain(s) {
			group = append(group, s)
		} else if len(group) > 0 {
			break
		}
		last = i.p.fset.PositionFor(s.End(), false).Line
	}
	return group
}

// removeSpec removes an import with its comments.
func (i *importEdits) removeSpec(s *ast.ImportSpec) {
	pos, end := s.Pos(), s.End()
	if s.Doc != nil {
		pos = s.Doc.Pos()
	}
	if s.Comment != nil {
		end = s.Comment.End()
	}
	i.removeLines(pos, end)
}

// removeLines removes what is from pos to end, and the whole line if nothing else is on it.
func (i *importEdits) removeLines(pos, end token.Pos) {
	text := i.d.source.text
	from, to := i.p.offset(pos), i.p.offset(end)
	start := from
	for start > 0 && (text[start-1] == ' ' || text[start-1] == '\t') {
		start--
	}
	stop := to
	for stop < len(text) && (text[stop] == ' ' || text[stop] == '\t' || text[stop] == ';' || text[stop] == '\r') {
		stop++
	}
	if (start == 0 || text[start-1] == '\n') && stop < len(text) && text[stop] == '\n' {
		from, to = start, stop+1
	} else {
		to = stop // a comment or another import follows
	}
	i.d.edits = append(i.d.edits, edit{from, to, ""})
}
