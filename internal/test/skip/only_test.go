package skip

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOnlyWay checks that no other package skips a test, in any module of the repository. A script
// of testscript must name a reason (see Named).
func TestOnlyWay(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.work")); err != nil {
		For(t, Case, "the repository is not here: ", err)
	}
	files := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (base[0] == '.' || base == "third_party") || name == filepath.Join(root, "internal/test/skip") {
				return filepath.SkipDir
			}
			return nil
		}
		inTestdata := slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "testdata")
		find := otherSkips
		switch ext := filepath.Ext(name); {
		case ext == ".go" && !inTestdata:
		case ext == ".txt" && inTestdata:
			find = scriptSkips
		default:
			return nil
		}
		files++
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found, err := find(name, src)
		for _, at := range found {
			t.Errorf("%s: use package internal/test/skip, with a reason", at)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if files < 500 {
		t.Errorf("only %d files were read", files)
	}
}

// otherSkips returns the uses of Skip, Skipf and SkipNow in a Go file. It does not know types; no
// package function has these names.
func otherSkips(name string, src []byte) (found []string, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) {
			return true
		}
		// copytree.Skip is a value. No package of tests is called t.
		if x, ok := s.X.(*ast.Ident); ok && imports(file, x.Name) {
			return true
		}
		found = append(found, fmt.Sprintf("%s: %s", set.Position(s.Sel.Pos()), s.Sel.Name))
		return true
	})
	return found, nil
}

// imports reports whether the file imports a package under this name.
func imports(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
		if i.Name != nil {
			return i.Name.Name == name
		}
		path := strings.Trim(i.Path.Value, `"`)
		return path[strings.LastIndexByte(path, '/')+1:] == name
	})
}

var scriptSkip = regexp.MustCompile(`(?m)^(?:\[[^\]\n]*\] *)*skip\b(?: +'([a-z0-9]+): )?.*$`)

// scriptSkips returns the lines of a script that skip it without a reason.
func scriptSkips(name string, src []byte) (found []string, err error) {
	script, _, _ := strings.Cut(string(src), "\n-- ")
	for _, m := range scriptSkip.FindAllStringSubmatch(script, -1) {
		if !slices.ContainsFunc(reasons, func(r Reason) bool { return r.name == m[1] }) {
			found = append(found, fmt.Sprintf("%s: %s", name, m[0]))
		}
	}
	return found, nil
}

func TestOnlyWayNotices(t *testing.T) {
	const src = `package p
import ("testing"; "example.com/copytree")
func TestA(t *testing.T) {
	_ = copytree.Skip
	t.Skip("a")
	t.Skipf("%d", 1)
	f := t.SkipNow
	f()
	s.rig().Skip()
}`
	got, err := otherSkips("p.go", []byte(src))
	want := []string{"p.go:5:4: Skip", "p.go:6:4: Skipf", "p.go:7:9: SkipNow", "p.go:9:10: Skip"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("found %q, %v; want %q", got, err, want)
	}
	const script = "# skip 'no'\n[short] skip 'short: it takes a minute'\n[!root] skip 'as root'\n[unix] [linux] skip\nskip 'rooot: no'\nexec a skip\n-- file --\nskip 'x'\n"
	got, _ = scriptSkips("s.txt", []byte(script))
	if want := []string{"s.txt: [!root] skip 'as root'", "s.txt: [unix] [linux] skip", "s.txt: skip 'rooot: no'"}; !slices.Equal(got, want) {
		t.Errorf("found %q; want %q", got, want)
	}
}
