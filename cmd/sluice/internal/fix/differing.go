package fix

import (
	"go/ast"
	"io/fs"
	"maps"
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
	origins := make(map[string]*shown) // by import path
	for _, src := range files {
		pkg := paths(filepath.Dir(src.name))
		if pkg == "" {
			continue
		}
		only[pkg] = true
		if src.tree != nil && !strings.HasSuffix(src.name, "_test.go") {
			if origins[pkg] == nil {
				origins[pkg] = &shown{names: make(map[string]bool), members: make(map[string]bool)}
			}
			origins[pkg].add(src.tree)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(origins)) {
		addImporters(first, pkg, origins[pkg], only)
	}
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

// addImporters adds to only the packages that see something of what pkg declares.
func addImporters(first *config, pkg string, d *shown, only map[string]bool) {
	reached := map[string]bool{pkg: true} // pkg, and what imports it, also by way of others
	for _, u := range first.module {      // dependencies first
		direct := u.Imports[pkg] != nil
		for path := range u.Imports {
			reached[u.PkgPath] = reached[u.PkgPath] || reached[path]
		}
		if !reached[u.PkgPath] || only[strings.TrimSuffix(u.PkgPath, "_test")] {
			continue
		}
		if d.unnamed || direct && anyNamed(u.trees, d.names) || anyNamed(u.trees, d.members) {
			only[strings.TrimSuffix(u.PkgPath, "_test")] = true
		}
	}
}

// anyNamed reports whether one of the files names something of another package that has one of
// the names.
func anyNamed(trees []*ast.File, names map[string]bool) bool {
	found := false
	for _, tree := range trees {
		dotted := slices.ContainsFunc(tree.Imports, func(s *ast.ImportSpec) bool { return s.Name != nil && s.Name.Name == "." })
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				found = found || names[n.Sel.Name]
			case *ast.KeyValueExpr:
				id, ok := n.Key.(*ast.Ident)
				found = found || ok && names[id.Name]
			case *ast.Ident:
				found = found || dotted && names[n.Name]
			}
			return !found
		})
	}
	return found
}

// shown is what files declare that may hold an os.File, and that other packages see.
type shown struct {
	names   map[string]bool // of functions, variables and types: behind the package's name
	members map[string]bool // of fields and methods: behind any value
	unnamed bool            // something that shows without a name
	inside  bool            // the names that the same package sees count, too
}

// note adds a name to names or members, if it is seen.
func (d *shown) note(to map[string]bool, id *ast.Ident) {
	if id.IsExported() || d.inside && id.Name != "_" {
		to[id.Name] = true
	}
}

// add adds what a file declares.
func (d *shown) add(tree *ast.File) {
	for _, decl := range specs(tree) {
		d.addDecl(decl)
	}
}

// addDecl adds a function, or a spec of variables or types.
func (d *shown) addDecl(decl ast.Node) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		switch {
		case harmless(decl.Type):
		case decl.Recv == nil:
			d.note(d.names, decl.Name)
		default:
			d.note(d.members, decl.Name)
		}
	case *ast.TypeSpec:
		d.addType(decl)
	case *ast.ValueSpec:
		d.addValues(decl)
	}
}

func (d *shown) addType(s *ast.TypeSpec) {
	if harmless(s.Type) {
		return
	}
	_, ok := s.Type.(*ast.StructType)
	d.unnamed = d.unnamed || !ok || s.Assign.IsValid() || s.TypeParams != nil
	d.note(d.names, s.Name)
	switch t := s.Type.(type) {
	case *ast.StructType:
		d.addFields(t.Fields)
	case *ast.InterfaceType:
		d.addFields(t.Methods)
	}
}

// addFields adds fields, or the methods of an interface.
func (d *shown) addFields(list *ast.FieldList) {
	for _, f := range list.List {
		if harmless(f.Type) {
			continue
		}
		if len(f.Names) == 0 { // fields and methods of the embedded type have its names
			d.unnamed = true
		}
		for _, name := range f.Names {
			d.note(d.members, name)
		}
	}
}

func (d *shown) addValues(s *ast.ValueSpec) {
	if s.Type != nil && harmless(s.Type) {
		return
	}
	for _, name := range s.Names {
		d.note(d.names, name)
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
