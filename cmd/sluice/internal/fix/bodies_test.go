package fix

import (
	"context"
	"go/ast"
	"os/exec"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestBodies lists the functions whose bodies are type-checked. On the second system these are the
// functions with names that depend on it.
func TestBodies(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		skip.For(t, skip.Go, err)
	}
	archive, err := txtar.ParseFile("testdata/systems_bodies.txtar")
	if err != nil {
		t.Fatal(err)
	}
	o := optionsOf(t, string(archive.Comment))
	o.Dir = extract(t, archive)
	p, err := load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"":        {"give", "giveHeld", "giveInner", "main", "open", "same", "start"},
		"windows": {"give", "giveHeld", "giveInner", "main", "open", "start"},
	}
	for _, c := range p.configs {
		if got := withBodies(c); !slices.Equal(got, want[c.goos]) {
			t.Errorf("GOOS=%q: bodies of %q are looked at; want %q", c.goos, got, want[c.goos])
		}
		delete(want, c.goos)
	}
	if len(want) > 0 {
		t.Errorf("systems are not looked at: %q", want)
	}
}

// withBodies returns the names of functions whose bodies are type-checked.
func withBodies(c *config) (names []string) {
	for _, u := range c.checked {
		for _, tree := range u.looked {
			for _, decl := range tree.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
					names = append(names, f.Name.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
