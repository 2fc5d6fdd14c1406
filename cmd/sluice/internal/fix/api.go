package fix

import (
	_ "embed"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// modulePath is the import path of package sluice.
const modulePath = "github.com/sluiceio/sluice"

// replaced are the functions whose calls are replaced: path and name of the package, name of
// the function, and that of package sluice. The results of those with files are of the type
// *os.File.
var replaced = map[[2]string]replacement{
	{"os", "Open"}:       {"Open", true},
	{"os", "Create"}:     {"Create", true},
	{"os", "OpenFile"}:   {"OpenFile", true},
	{"os", "CreateTemp"}: {"CreateTemp", true},
	{"os", "OpenInRoot"}: {"OpenInRoot", true},
	{"os", "NewFile"}:    {"NewFile", true},
	{"os", "ReadFile"}:   {"ReadFile", false},
	{"os", "WriteFile"}:  {"WriteFile", false},
	// Package os has them under other names since Go 1.16.
	{"io/ioutil", "TempFile"}:  {"CreateTemp", true},
	{"io/ioutil", "ReadFile"}:  {"ReadFile", false},
	{"io/ioutil", "WriteFile"}: {"WriteFile", false},
}

type replacement struct {
	name string
	file bool
}

// declarations are those of package sluice that a rewritten program can use, so that the
// result can be type-checked before the module has the requirement. TestDeclarations
// compares them with the package.
//
//go:embed declarations.txt
var declarations string

// declare returns package sluice with these declarations.
func declare(imported func(path string) *types.Package) *types.Package {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "declarations.txt", declarations, parser.SkipObjectResolution)
	if err != nil {
		panic(err) // TestDeclarations has parsed it
	}
	conf := types.Config{Importer: importer(imported), IgnoreFuncBodies: true, Error: func(error) {}}
	pkg, _ := conf.Check(modulePath, fset, []*ast.File{tree}, nil)
	return pkg
}
