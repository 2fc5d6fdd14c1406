package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFind checks that each kind of mutation is found in its place and nowhere else.
func TestFind(t *testing.T) {
	src := `package p

func f(a, b int) (int, error) {
	if a < b && a != 3 {
		panic("a is less")
	}
	g()
	defer h(func() bool { return false })
	a += b
	return a, err
}

func (t T) String() string { return "T" }
`
	p := &pkg{ImportPath: module + "/p", Dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.Dir, "p.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	groups, err := find(p, "p.go")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range slices.Concat(groups...) {
		got = append(got, m.name())
	}
	want := []string{
		"p/p.go:4: negated: a < b && a != 3",
		"p/p.go:4: && becomes || in a < b && a != 3",
		"p/p.go:4: < becomes <= in a < b",
		"p/p.go:4: != becomes == in a != 3",
		"p/p.go:4: 3 becomes 3+1",
		"p/p.go:7: dropped: g()",
		"p/p.go:8: dropped: defer h(func() bool { return false })",
		"p/p.go:8: returns true for false",
		"p/p.go:9: dropped: a += b",
		"p/p.go:10: returns 0 for a",
		"p/p.go:10: returns nil for err",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	text, err := groups[0][0].apply()
	if err != nil || !strings.Contains(string(text), "\tif !(a < b && a != 3) {\n") {
		t.Errorf("applied: %v\n%s", err, text)
	}
}
