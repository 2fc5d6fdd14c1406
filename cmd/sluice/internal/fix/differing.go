package fix

import (
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A system needs few packages a second time: those with files that the current system does not
// build, and those that see in them something that may hold a file. All others are, and do, what
// they are and do on the current system.

// differing returns the import paths of the packages of the module that must be loaded for a
// system with these files, which the current system does not build.
func (p *program) differing(first *config, files []*source) map[string]bool {
	paths := p.pathsByDir(first)
	only := make(map[string]bool)
	names := make(map[string]bool)
	var origins []string // packages whose importers are needed, all of them
	for _, src := range files {
		pkg := paths(filepath.Dir(src.name))
		if pkg == "" {
			continue
		}
		only[pkg] = true
		if src.tree != nil && !strings.HasSuffix(src.name, "_test.go") && declared(src.tree, names) {
			origins = append(origins, pkg)
		}
	}
	for _, u := range first.module {
		if len(names) > 0 && !only[u.PkgPath] && anyNamed(u.trees, names) {
			only[strings.TrimSuffix(u.PkgPath, "_test")] = true
		}
	}
	p.addImporters(first, origins, only)
	return only
}

// pathsByDir returns a function that gives the import path of the package in a directory.
func (p *program) pathsByDir(first *config) func(dir string) string {
	known := make(map[string]string)
	roots := make(map[string]string) // import paths of the modules
	for _, u := range first.module {
		if u.Module == nil {
			continue
		}
		roots[u.Module.Dir] = u.Module.Path
		if len(u.GoFiles) > 0 && u.ForTest == "" && u.PkgPath != "command-line-arguments" {
			known[filepath.Dir(u.GoFiles[0])] = u.PkgPath
		}
	}
	return func(dir string) string {
		if pkg := known[dir]; pkg != "" {
			return pkg
		}
		for root, module := range roots {
			if rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) {
				return path.Join(module, filepath.ToSlash(rel))
			}
		}
		return ""
	}
}

// addImporters adds to only the packages that import one of origins, also by way of others.
func (p *program) addImporters(first *config, origins []string, only map[string]bool) {
	reached := make(map[string]bool)
	for _, pkg := range origins {
		reached[pkg] = true
	}
	if len(origins) == 0 {
		return
	}
	for _, u := range first.module { // dependencies first
		for pkg := range u.Imports {
			if reached[pkg] {
				reached[u.PkgPath] = true
				only[strings.TrimSuffix(u.PkgPath, "_test")] = true
				break
			}
		}
	}
}

// anyNamed reports whether one of the files has an identifier of that name.
func anyNamed(trees []*ast.File, names map[string]bool) bool {
	found := false
	for _, tree := range trees {
		ast.Inspect(tree, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && names[id.Name]
			return !found
		})
	}
	return found
}

// declared adds to names what other packages can name of a file's declarations, as far as it may
// hold an os.File. It reports whether a declaration may show in another package without a name.
func declared(tree *ast.File, names map[string]bool) (unnamed bool) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && !harmless(d.Type) {
				names[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					unnamed = declaredType(s, names) || unnamed
				case *ast.ValueSpec:
					declaredValues(s, names)
				}
			}
		}
	}
	return unnamed
}

func declaredType(s *ast.TypeSpec, names map[string]bool) (unnamed bool) {
	if harmless(s.Type) {
		return false
	}
	t, ok := s.Type.(*ast.StructType)
	if !ok || s.Assign.IsValid() || s.TypeParams != nil {
		return true
	}
	if s.Name.IsExported() {
		names[s.Name.Name] = true
	}
	for _, f := range t.Fields.List {
		if harmless(f.Type) {
			continue
		}
		if len(f.Names) == 0 {
			return true // fields and methods of the embedded type have its names
		}
		for _, name := range f.Names {
			if name.IsExported() {
				names[name.Name] = true
			}
		}
	}
	return false
}

func declaredValues(s *ast.ValueSpec, names map[string]bool) {
	if s.Type != nil && harmless(s.Type) {
		return
	}
	for _, name := range s.Names {
		if name.IsExported() {
			names[name.Name] = true
		}
	}
}

// plain are the types that hold no file, and no interface that a file implements.
var plain = strings.Fields(`
	bool string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune
	float32 float64 complex64 complex128 error
	os.FileMode os.FileInfo os.Signal fs.FileMode fs.FileInfo fs.DirEntry time.Time time.Duration
	context.Context unsafe.Pointer
`)

// harmless reports whether a type's expression shows that its values hold no file. All types of
// packages syscall, unix and windows are numbers and structs of numbers.
func harmless(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return slices.Contains(plain, e.Name)
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		if !ok {
			return false
		}
		return id.Name == "syscall" || id.Name == "unix" || id.Name == "windows" || slices.Contains(plain, id.Name+"."+e.Sel.Name)
	case *ast.StarExpr:
		return harmless(e.X)
	case *ast.ParenExpr:
		return harmless(e.X)
	case *ast.ArrayType:
		return harmless(e.Elt)
	case *ast.Ellipsis:
		return harmless(e.Elt)
	case *ast.ChanType:
		return harmless(e.Value)
	case *ast.MapType:
		return harmless(e.Key) && harmless(e.Value)
	case *ast.FuncType:
		return e.TypeParams == nil && harmlessFields(e.Params) && harmlessFields(e.Results)
	case *ast.StructType:
		return harmlessFields(e.Fields)
	}
	return false
}

func harmlessFields(list *ast.FieldList) bool {
	return list == nil || !slices.ContainsFunc(list.List, func(f *ast.Field) bool { return !harmless(f.Type) })
}

// elsewhere returns the files of packages that the current system does not have, in the modules
// that are being worked on.
func (p *program) elsewhere(first *config) []*source {
	known := make(map[string]bool)
	roots := make(map[string]bool)
	for _, u := range first.module {
		for _, name := range slices.Concat(u.GoFiles, u.IgnoredFiles) {
			known[filepath.Dir(name)] = true
		}
		if u.Module != nil {
			roots[u.Module.Dir] = true
		}
	}
	var list []*source
	for root := range roots {
		// What cannot be read is not a package that can be loaded.
		_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case e.IsDir() && name != root && !isPackageDir(name):
				return fs.SkipDir
			case !e.IsDir() && filepath.Ext(name) == ".go" && !known[filepath.Dir(name)] && e.Type().IsRegular() && p.sources[name] == nil:
				s := &source{name: name, module: true}
				p.sources[name] = s
				s.parse(p.fset)
				list = append(list, s)
			}
			return nil
		})
	}
	slices.SortFunc(list, func(x, y *source) int { return strings.Compare(x.name, y.name) })
	return slices.DeleteFunc(list, func(s *source) bool { return s.tree == nil })
}

// isPackageDir reports whether the pattern "..." of the go command goes into a directory.
func isPackageDir(name string) bool {
	base := filepath.Base(name)
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return false
	}
	_, err := os.Lstat(filepath.Join(name, "go.mod"))
	return err != nil
}
