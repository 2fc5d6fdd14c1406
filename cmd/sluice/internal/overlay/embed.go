package overlay

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/version"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The compiler takes go:embed only in modules whose go.mod says go 1.16 or later. A build
// constraint in the file, as other parts of the language have it, is not enough. In older modules
// the library's files are in a function instead.

// takesEmbed reports whether the module in the directory root may have go:embed. Without a version
// in its go.mod it may.
func takesEmbed(root string) (bool, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	m := goDirective.FindSubmatch(text)
	return m == nil || version.Compare("go"+string(m[1]), "go1.16") >= 0, err
}

var goDirective = regexp.MustCompile(`(?m)^go[ \t]+"?([0-9.]+)`)

// inline replaces the variables of f with a go:embed, which must be of type embed.FS. Only ReadFile
// of them can be used afterwards. It returns nothing if r.embedded is nil.
func (r *rewriter) inline(f *ast.File, offset func(token.Pos) int) (s []splice, err error) {
	if r.embedded == nil {
		return nil, nil
	}
	for _, d := range f.Decls {
		v, ok := d.(*ast.GenDecl)
		if !ok || v.Tok != token.VAR || v.Doc == nil || !strings.Contains(docOf(v), "//go:embed ") {
			continue
		}
		spec := v.Specs[0].(*ast.ValueSpec)
		t, ok := spec.Type.(*ast.SelectorExpr)
		if !ok || t.Sel.Name != "FS" {
			return nil, fmt.Errorf("%s with go:embed is no embed.FS", spec.Names[0].Name)
		}
		s = append(s, splice{offset(v.Doc.Pos()), offset(v.End()), r.function(spec.Names[0].Name)})
	}
	return s, nil
}

// docOf returns a comment with its marks: the text that go/ast gives has no directives.
func docOf(v *ast.GenDecl) (text string) {
	for _, c := range v.Doc.List {
		text += c.Text + "\n"
	}
	return text
}

// function returns a variable of that name, whose method ReadFile returns r.embedded.
func (r *rewriter) function(name string) string {
	var b strings.Builder
	kind := "zzSluice_" + name
	fmt.Fprintf(&b, "var %s %s\n\ntype %s struct{}\n\nfunc (%s) ReadFile(name string) ([]byte, error) {\n\tswitch name {\n", name, kind, kind, kind)
	for _, file := range slices.Sorted(maps.Keys(r.embedded)) {
		fmt.Fprintf(&b, "\tcase %q:\n\t\treturn []byte(%s), nil\n", file, strconv.Quote(string(r.embedded[file])))
	}
	// The error of a file that is not there
	b.WriteString("\t}\n\treturn embed.FS{}.ReadFile(name)\n}")
	return b.String()
}
