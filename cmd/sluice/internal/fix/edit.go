package fix

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// edit replaces a part of a file.
type edit struct {
	from, to int // offsets in the old text
	text     string
}

// draft is a file with its edits.
type draft struct {
	source *source
	edits  []edit // by offset
	text   []byte
}

// oldOffset returns where an offset in the new text was in the old one.
func (d *draft) oldOffset(offset int) int {
	shift := 0
	for _, e := range d.edits {
		if start := e.from + shift; offset < start+len(e.text) {
			if offset >= start {
				return e.from
			}
			break
		}
		shift += len(e.text) - (e.to - e.from)
	}
	return offset - shift
}

// edit returns the files with the sites replaced.
func (a *analysis) edit(chosen []*site) map[string]*draft {
	drafts := make(map[string]*draft)
	gone := make(map[string]map[ast.Node]bool)
	for _, s := range chosen {
		src := a.p.source(s.expr.Pos())
		if drafts[src.name] == nil {
			drafts[src.name] = &draft{source: src}
			gone[src.name] = make(map[ast.Node]bool)
		}
		gone[src.name][s.expr] = true
	}
	for name, d := range drafts {
		sluice, added := a.nameFor(d.source)
		for _, s := range chosen {
			if a.p.source(s.expr.Pos()) == d.source {
				text := s.with
				if sluice != "." {
					text = sluice + "." + text
				}
				d.replace(a.p, s.expr.Pos(), s.expr.End(), text)
			}
		}
		a.imports(d, gone[name], sluice, added)
		d.apply()
	}
	return drafts
}

func (d *draft) replace(p *program, from, to token.Pos, text string) {
	d.edits = append(d.edits, edit{p.offset(from), p.offset(to), text})
}

func (p *program) offset(pos token.Pos) int { return p.fset.PositionFor(pos, false).Offset }

func (d *draft) apply() {
	slices.SortStableFunc(d.edits, func(x, y edit) int { return x.from - y.from })
	var text bytes.Buffer
	last := 0
	for _, e := range d.edits {
		text.Write(d.source.text[last:e.from])
		text.WriteString(e.text)
		last = e.to
	}
	text.Write(d.source.text[last:])
	d.text = text.Bytes()
}

// nameFor returns the name of package sluice in the file, and whether it must be imported.
func (a *analysis) nameFor(src *source) (name string, added bool) {
	for _, spec := range src.tree.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == modulePath && (spec.Name == nil || spec.Name.Name != "_") {
			if spec.Name != nil {
				return spec.Name.Name, false
			}
			return "sluice", false
		}
	}
	for _, name := range []string{"sluice", "sluiceio", "sluicefile"} {
		if !a.taken(src, name) {
			return name, true
		}
	}
	for i := 2; ; i++ {
		if name := fmt.Sprintf("sluice%d", i); !a.taken(src, name) {
			return name, true
		}
	}
}

// taken reports whether the file uses the name, or its package declares it.
func (a *analysis) taken(src *source, name string) bool {
	found := false
	ast.Inspect(src.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // the name behind the dot is no clash
			ast.Inspect(n.X, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				found = found || ok && id.Name == name
				return !found
			})
			return false
		case *ast.File:
			return true
		case *ast.Ident:
			found = found || n.Name == name && n != src.tree.Name
		}
		return !found
	})
	for _, c := range a.p.configs {
		for _, u := range c.checked {
			if slices.Contains(u.trees, src.tree) && u.types.Scope().Lookup(name) != nil {
				return true
			}
		}
	}
	return found
}

// imports adds package sluice to the imports, and removes those that are not used any more.
func (a *analysis) imports(d *draft, gone map[ast.Node]bool, name string, added bool) {
	var unused []*ast.ImportSpec
	for _, spec := range d.source.tree.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == "os" || path == "io/ioutil" {
			if (spec.Name == nil || spec.Name.Name != "_") && !a.used(d.source, spec, path, gone) {
				unused = append(unused, spec)
			}
		}
	}
	i := importEdits{p: a.p, d: d, unused: unused}
	if added {
		i.line = strconv.Quote(modulePath)
		if name != "sluice" {
			i.line = name + " " + i.line
		}
	}
	i.edit()
}

// used reports whether an import has a use besides those that are gone.
func (a *analysis) used(src *source, spec *ast.ImportSpec, path string, gone map[ast.Node]bool) bool {
	found := false
	for _, c := range a.p.configs {
		for _, u := range c.checked {
			if !slices.Contains(u.trees, src.tree) {
				continue
			}
			ast.Inspect(src.tree, func(n ast.Node) bool {
				if n == nil || found || gone[n] {
					return false
				}
				if sel, ok := n.(*ast.SelectorExpr); ok {
					ast.Inspect(sel.X, func(n ast.Node) bool {
						if n != nil && !gone[n] {
							found = found || uses(u.info, n, spec, path, false)
						}
						return n != nil && !gone[n]
					})
					return false
				}
				found = found || uses(u.info, n, spec, path, true)
				return !found
			})
		}
	}
	return found
}

// uses reports whether n is a use of the import: the package's name, or, where bare is true,
// an object of a package that is imported with a dot.
func uses(info *types.Info, n ast.Node, spec *ast.ImportSpec, path string, bare bool) bool {
	id, ok := n.(*ast.Ident)
	if !ok {
		return false
	}
	o := info.Uses[id]
	if pkg, ok := o.(*types.PkgName); ok {
		declared := info.Implicits[spec]
		if spec.Name != nil {
			declared = info.Defs[spec.Name]
		}
		return pkg == declared
	}
	dot := spec.Name != nil && spec.Name.Name == "."
	return dot && o != nil && o.Pkg() != nil && o.Pkg().Path() == path && o.Parent() == o.Pkg().Scope()
}

// finish returns the files with their new text. A file that gofmt would not have changed is
// formatted again.
func (a *analysis) finish(drafts map[string]*draft) ([]*File, error) {
	var files []*File
	for name, d := range drafts {
		text := d.text
		if was, err := format.Source(d.source.text); err == nil && bytes.Equal(was, d.source.text) {
			if text, err = format.Source(text); err != nil {
				return nil, fmt.Errorf("internal error: %s: %w", a.p.relative(name), err)
			}
		}
		if endsLinesInCRLF(d.source.text) {
			text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
		}
		files = append(files, &File{Name: name, Old: d.source.text, New: text})
	}
	slices.SortFunc(files, func(x, y *File) int { return strings.Compare(x.Name, y.Name) })
	return files, nil
}

// endsLinesInCRLF reports whether all lines of a text end in a carriage return and a newline.
func endsLinesInCRLF(text []byte) bool {
	n := bytes.Count(text, []byte("\n"))
	return n > 0 && bytes.Count(text, []byte("\r\n")) == n
}
