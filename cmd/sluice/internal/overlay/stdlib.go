package overlay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// hooksFile is the name, below src, of the file that is added to internal/poll.
const hooksFile = "internal/poll/sluice_linux.go"

// readHooks returns the content of hooksFile. It comes from the library's tree, as package
// transparent does: the two share variables, and no compiler checks that their types agree.
func readHooks(source string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(source, "transparent", "poll.go.txt"))
	if err != nil {
		return nil, fmt.Errorf("the source of sluice is not of this command's version: %w", err)
	}
	return text, nil
}

// KnownVersions are the toolchains with which sluice was tested.
const KnownVersions = "go1.26.0, go1.26.7, go1.26.8"

// noteVersion adds a note if sluice was not tested with the release of the toolchain. Such
// a toolchain is accepted if all declarations match.
func (o *Overlay) noteVersion(t toolchain) {
	major := "go" + language(strings.TrimPrefix(t.release(), "go"))
	if !strings.Contains(KnownVersions+".", major+".") {
		o.Notes = append(o.Notes, fmt.Sprintf("sluice was not tested with toolchain %s (tested: %s); the declarations that it changes match",
			t.release(), KnownVersions))
	}
}

// readStandard returns the files that an overlay changes or relies on, of the toolchain in goroot.
// version is the toolchain's name of itself.
func readStandard(goroot, version string) (map[string][]byte, error) {
	src := make(map[string][]byte)
	read := func(file string) error {
		if src[file] != nil {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(file)))
		if err != nil {
			return fmt.Errorf("the source of toolchain %s: %w", version, err)
		}
		src[file] = text
		return nil
	}
	for _, d := range relied {
		if err := read(d.file); err != nil {
			return nil, err
		}
	}
	for _, e := range edits {
		if err := read(e.file); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// standardFiles returns the changed files of the standard library, by name, of the toolchain in
// goroot. src is what readStandard returns. If a declaration differs from the one that the change
// was made for, an error is returned and no files.
func standardFiles(goroot, version string, src map[string][]byte, hooks []byte) (map[string][]byte, error) {
	refused := func(file string, err error) error {
		return fmt.Errorf("toolchain %s in %s: %s: %w; known to work: %s", version, goroot, file, err, KnownVersions)
	}
	for _, d := range relied {
		if _, _, err := d.in(src[d.file]); err != nil {
			return nil, refused(d.file, err)
		}
	}
	files := map[string][]byte{hooksFile: hooks}
	for _, e := range edits {
		text, ok := files[e.file]
		if !ok {
			text = src[e.file]
		}
		text, err := e.apply(text)
		if err != nil {
			return nil, refused(e.file, err)
		}
		files[e.file] = text
	}
	return files, nil
}

// in returns the position of the declaration in the file src.
func (d *declaration) in(src []byte) (from, to int, err error) {
	fset := token.NewFileSet()
	// Comments are left out: they do not change the code.
	f, err := parser.ParseFile(fset, d.file, src, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, err
	}
	decl := find(f, d.name)
	if decl == nil {
		return 0, 0, fmt.Errorf("there is no %s", d.name)
	}
	if got := sum(fset, decl); got != d.sum {
		return 0, 0, fmt.Errorf("%s differs from the one that sluice knows (SHA-256 %.12s, not %.12s)", d.name, got, d.sum)
	}
	return fset.Position(decl.Pos()).Offset, fset.Position(decl.End()).Offset, nil
}

// apply returns the file src with the change.
func (e *edit) apply(src []byte) ([]byte, error) {
	from, to, err := e.in(src)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(src[from:to], []byte(e.old)); n != 1 {
		return nil, fmt.Errorf("%s has %q %d times", e.name, e.old, n)
	}
	at := from + bytes.Index(src[from:to], []byte(e.old))
	return bytes.Join([][]byte{src[:at], []byte(e.new), src[at+len(e.old):]}, nil), nil
}

// find returns the declaration of name, or nil. The name of a group of constants is that of
// its first constant.
func find(f *ast.File, name string) ast.Node {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if nameOf(d) == name {
				return d
			}
		case *ast.GenDecl:
			switch first := d.Specs[0].(type) {
			case *ast.TypeSpec:
				if first.Name.Name == name {
					return d
				}
			case *ast.ValueSpec:
				if first.Names[0].Name == name {
					return d
				}
			}
		}
	}
	return nil
}

// nameOf returns the name of a function, or of a method with a pointer receiver: "FD.Read".
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	if p, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
		if t, ok := p.X.(*ast.Ident); ok {
			return t.Name + "." + d.Name.Name
		}
	}
	return ""
}

// sum returns the SHA-256 of a declaration that was parsed without comments. Line breaks
// and indentation do not matter.
func sum(fset *token.FileSet, decl ast.Node) string {
	var text bytes.Buffer
	if err := printer.Fprint(&text, fset, decl); err != nil {
		return err.Error()
	}
	words := strings.Join(strings.Fields(text.String()), " ")
	h := sha256.Sum256([]byte(words))
	return hex.EncodeToString(h[:])
}
