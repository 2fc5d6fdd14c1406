package errs_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/errs"
)

func TestWrap(t *testing.T) {
	inner := errors.New("inner")
	got, want := errs.Wrap("outer", inner), fmt.Errorf("%s: %w", "outer", inner)
	if got.Error() != want.Error() {
		t.Errorf("text %q; want %q", got, want)
	}
	if !errors.Is(got, inner) {
		t.Error("does not wrap its error")
	}
}

// No package of the library calls package fmt for one of its variables.
func TestNoFmtAtStart(t *testing.T) {
	root := filepath.Join("..", "..")
	checked := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipDir(root, path)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		checked++
		return checkFile(t, path)
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 100 {
		t.Errorf("only %d files were checked", checked)
	}
}

// skipDir skips other modules, and code that is no part of a user's program.
func skipDir(root, path string) error {
	if path == root {
		return nil
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	if err == nil || strings.HasPrefix(filepath.Base(path), ".") || path == filepath.Join(root, "internal", "test") {
		return filepath.SkipDir
	}
	return nil
}

func checkFile(t *testing.T, path string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		vars, ok := decl.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		ast.Inspect(vars, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "fmt" {
					t.Errorf("%s: fmt.%s runs when a program starts; errs.Wrap does not", files.Position(n.Pos()), sel.Sel.Name)
				}
			}
			return true
		})
	}
	return nil
}
