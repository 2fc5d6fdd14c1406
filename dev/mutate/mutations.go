package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// mutation replaces the bytes from..to of a file by other text.
type mutation struct {
	pkg      *pkg
	file     string // in the package's directory
	line     int
	column   int
	from, to int
	text     string
	what     string // such as "< becomes <="
}

// name identifies the mutation in the log.
func (m mutation) name() string {
	return fmt.Sprintf("%s:%d: %s", filepath.ToSlash(filepath.Join(m.pkg.rel(), m.file)), m.line, m.what)
}

// apply returns the file with the mutation.
func (m mutation) apply() ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(m.pkg.Dir, m.file))
	if err != nil {
		return nil, err
	}
	return []byte(string(src[:m.from]) + m.text + string(src[m.to:])), nil
}

// swaps has the replacements of each operator. A sum of strings becomes a difference, which does
// not compile, and so is not counted.
var swaps = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*",
	token.AND: "|", token.OR: "&", token.SHL: ">>", token.SHR: "<<", token.REM: "/", token.AND_NOT: "&",
}

// finder collects the mutations of one file, in one group for each statement.
type finder struct {
	pkg    *pkg
	name   string
	src    []byte
	fset   *token.FileSet
	groups [][]mutation
	next   []mutation // of the current statement
}

// find returns the possible mutations of a file, grouped by statement.
func find(p *pkg, name string) ([][]mutation, error) {
	src, err := os.ReadFile(filepath.Join(p.Dir, name))
	if err != nil {
		return nil, err
	}
	f := &finder{pkg: p, name: name, src: src, fset: token.NewFileSet()}
	tree, err := parser.ParseFile(f.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !prints(fn.Name.Name) {
			f.block(fn.Body, fn.Type)
		}
	}
	return f.groups, nil
}

// prints reports whether a function of this name makes readable text, whose words are no promise.
func prints(name string) bool {
	return name == "String" || name == "GoString" || name == "Error" || strings.HasPrefix(strings.ToLower(name), "explain")
}

// block finds the mutations of the statements in n, which is in a function of type fn.
func (f *finder) block(n ast.Node, fn *ast.FuncType) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.end()
			f.block(n.Body, n.Type)
			return false
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt:
		case ast.Stmt:
			f.end()
			f.statement(n, fn)
		case *ast.CallExpr:
			// A panic means that the program is wrong. No test can cause it.
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return false
			}
		case ast.Expr:
			f.expression(n)
		}
		return true
	})
	f.end()
}

// end ends the group of a statement.
func (f *finder) end() {
	if len(f.next) > 0 {
		f.groups = append(f.groups, f.next)
	}
	f.next = nil
}

func (f *finder) statement(s ast.Stmt, fn *ast.FuncType) {
	switch s := s.(type) {
	case *ast.IfStmt:
		f.add(s.Cond.Pos(), s.Cond.End(), "!("+f.text(s.Cond)+")", "negated: "+f.text(s.Cond))
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return
			}
		}
		f.drop(s)
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			f.drop(s)
		}
	case *ast.IncDecStmt, *ast.DeferStmt, *ast.SendStmt:
		f.drop(s)
	case *ast.ReturnStmt:
		f.results(s, fn)
	}
}

func (f *finder) expression(e ast.Expr) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if to, ok := swaps[e.Op]; ok {
			from := f.text(e)
			f.add(e.OpPos, e.OpPos+token.Pos(len(e.Op.String())), to, fmt.Sprintf("%s becomes %s in %s", e.Op, to, from))
		}
	case *ast.BasicLit:
		if e.Kind == token.INT {
			f.add(e.Pos(), e.End(), "("+e.Value+"+1)", e.Value+" becomes "+e.Value+"+1")
		}
	}
}

// drop finds the mutation without s.
func (f *finder) drop(s ast.Stmt) { f.add(s.Pos(), s.End(), "", "dropped: "+f.text(s)) }

// results finds the mutations of a return statement: one of its values becomes zero.
func (f *finder) results(s *ast.ReturnStmt, fn *ast.FuncType) {
	if fn.Results == nil {
		return
	}
	var types []ast.Expr
	for _, r := range fn.Results.List {
		for range max(1, len(r.Names)) {
			types = append(types, r.Type)
		}
	}
	if len(types) != len(s.Results) {
		return
	}
	for i, r := range s.Results {
		if zero := zero(types[i], f.text(r)); zero != f.text(r) {
			f.add(r.Pos(), r.End(), zero, fmt.Sprintf("returns %s for %s", zero, f.text(r)))
		}
	}
}

// zero returns the text of the zero value of a type, or true if value is false.
func zero(typ ast.Expr, value string) string {
	switch t := typ.(type) {
	case *ast.StarExpr, *ast.FuncType, *ast.MapType, *ast.ChanType, *ast.InterfaceType:
		return "nil"
	case *ast.ArrayType:
		if t.Len == nil {
			return "nil"
		}
	case *ast.Ident:
		switch t.Name {
		case "error", "any":
			return "nil"
		case "string":
			return `""`
		case "bool":
			if value == "false" {
				return "true"
			}
			return "false"
		case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "byte", "float64":
			return "0"
		}
	}
	// A mutation without a replacement for its type does not compile.
	return value
}

func (f *finder) add(from, to token.Pos, text, what string) {
	p := f.fset.Position(from)
	f.next = append(f.next, mutation{
		pkg: f.pkg, file: f.name, line: p.Line, column: p.Column, from: p.Offset, to: f.fset.Position(to).Offset, text: text,
		what: strings.Join(strings.Fields(what), " "),
	})
}

func (f *finder) text(n ast.Node) string {
	return string(f.src[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset])
}
