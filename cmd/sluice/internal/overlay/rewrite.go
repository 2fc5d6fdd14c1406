package overlay

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// rewriter turns a file of the library, or of a module that it imports, into a file of the
// program's module.
type rewriter struct {
	moved map[string]string // import paths
	// language is the files' language version as a build constraint, go1.26. The
	// program's module may have an older one.
	language string
	// embedded are the files that the package embeds, by name, if they must become parts of a Go
	// file.
	embedded map[string][]byte
}

// splice replaces the bytes from:to of a file by text.
type splice struct {
	from, to int
	text     string
}

// rewrite returns the file with its changes.
func (r *rewriter) rewrite(name string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	constraint, err := r.constrain(f, offset)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	bodies, err := embody(f, offset)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	files, err := r.inline(f, offset)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return apply(src, constraint, r.move(f, offset), files, bodies), nil
}

// move changes the import paths of f.
func (r *rewriter) move(f *ast.File, offset func(token.Pos) int) (s []splice) {
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value) // the parser has checked it
		if to, ok := r.moved[path]; ok {
			s = append(s, splice{offset(i.Path.Pos()), offset(i.Path.End()), strconv.Quote(to)})
		}
	}
	return s
}

// embody gives Go bodies to the functions whose bodies are in an assembly file.
func embody(f *ast.File, offset func(token.Pos) int) (s []splice, err error) {
	linked := linknames(f)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body != nil || linked[fn.Name.Name] {
			continue
		}
		body, ok := bodies[fn.Name.Name]
		if !ok {
			return nil, fmt.Errorf("%s has no body, and none is known", fn.Name.Name)
		}
		from := fn.Pos()
		if fn.Doc != nil { // it may contain go:noescape, which functions with bodies must not have
			from = fn.Doc.Pos()
		}
		s = append(s, splice{offset(from), offset(fn.End()), body})
	}
	return s, nil
}

// constrain adds the language version to the file's build constraint, or adds a build
// constraint.
func (r *rewriter) constrain(f *ast.File, offset func(token.Pos) int) ([]splice, error) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if c.Pos() > f.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			x, err := constraint.Parse(c.Text)
			if err != nil {
				return nil, err
			}
			text := "//go:build (" + x.String() + ") && " + r.language
			return []splice{{offset(c.Pos()), offset(c.End()), text}}, nil
		}
	}
	return []splice{{0, 0, "//go:build " + r.language + "\n\n"}}, nil
}

// linknames returns the functions of f that a go:linkname gives a body in another package.
func linknames(f *ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, g := range f.Comments {
		for _, c := range g.List {
			if words := strings.Fields(c.Text); len(words) == 3 && words[0] == "//go:linkname" {
				names[words[1]] = true
			}
		}
	}
	return names
}

// apply makes the replacements, which must be in the order of the file.
func apply(src []byte, splices ...[]splice) []byte {
	var out bytes.Buffer
	at := 0
	for _, s := range slices.Concat(splices...) {
		out.Write(src[at:s.from])
		out.WriteString(s.text)
		at = s.to
	}
	out.Write(src[at:])
	return out.Bytes()
}
