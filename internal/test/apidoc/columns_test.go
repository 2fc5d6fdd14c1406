package apidoc

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumns = 100 // of a line with a comment
	tabColumns = 4
)

// TestColumns checks that no comment goes beyond column 100, in all modules of the repository.
func TestColumns(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		files++
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		for _, l := range longComments(src) {
			t.Errorf("%s:%d: a comment ends in column %d; want at most %d: break the line, or put the comment above it",
				rel, l.line, l.columns, maxColumns)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Fatalf("%d files were found; there are more", files)
	}
}

// TestNoticesLongComments checks that TestColumns finds long comments.
func TestNoticesLongComments(t *testing.T) {
	word, url := strings.Repeat("x", 60), "https://example.com/"+strings.Repeat("x", 100)
	ends := word + " " + strings.Repeat("y", 36) // ends in column 100, after "// "
	src := fmt.Sprintf(`package p
// %[1]s
// %[1]sz
//nolint:revive // %[1]sz
// %[2]s
func f(s string) {
	// %[1]s
	f("// %[1]sz")
	f("a string") // %[3]s
	f(%[4]q) // %[3]s
}
/*
%[1]s abcd
*/
`, ends, url, word, word)
	var lines []int
	for _, l := range longComments([]byte(src)) {
		lines = append(lines, l.line)
	}
	if want := []int{3, 7, 10, 13}; !slices.Equal(lines, want) {
		t.Errorf("long lines = %v; want %v, in\n%s", lines, want, src)
	}
}

// longLine is a line with a comment that ends beyond maxColumns.
type longLine struct{ line, columns int }

// longComments returns the lines of a file on which a comment ends beyond maxColumns. It skips
// comments that the compiler or a linter reads, because they have one line, and comments of a
// single word, such as a URL.
func longComments(src []byte) (long []longLine) {
	lines := bytes.Split(src, []byte("\n"))
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(f, src, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return long
		}
		if tok != token.COMMENT {
			continue
		}
		first := f.Line(pos)
		if strings.HasPrefix(text, "//") && !breaks(text, string(lines[first-1])) {
			continue
		}
		for n := range strings.Count(text, "\n") + 1 {
			if c := columns(lines[first-1+n]); c > maxColumns {
				long = append(long, longLine{first + n, c})
			}
		}
	}
}

// breaks reports whether a comment of one line can be broken, or put above the line.
func breaks(text, line string) bool {
	words, ok := strings.CutPrefix(text, "// ")
	return ok && (len(strings.Fields(words)) > 1 || strings.TrimSpace(line) != text)
}

// columns returns the width of a line.
func columns(line []byte) int {
	return utf8.RuneCount(line) + (tabColumns-1)*bytes.Count(line, []byte("\t"))
}
