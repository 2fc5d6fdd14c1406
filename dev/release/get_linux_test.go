//go:build amd64 || arm64

package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/dev/internal/workspace"
)

// TestGet adds each module of the tree to a program by go get, from a module proxy made of files.
// The go command then finds each package of the module, and all packages that these import.
func TestGet(t *testing.T) {
	w, err := workspace.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	version, err := w.Version()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := w.Proxy(t.Context(), filepath.Join(dir, "proxy"), version); err != nil {
		t.Fatal(err)
	}
	env, err := workspace.Environment(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	own := packages(t, w)
	haveModules(t, slices.Concat(slices.Collect(maps.Values(own))...)...)
	for _, m := range w.Modules {
		t.Run(m.Below, func(t *testing.T) {
			user := newUser(t, env)
			user.run(t, nil, "go", "get", m.Path+"@"+version)
			user.run(t, nil, "go", "get", m.Path+"/...") // the sums of what its packages import
			got := strings.Fields(user.run(t, nil, "go", "list", "-deps", m.Path+"/..."))
			for _, name := range own[m.Path] {
				if !slices.Contains(got, name) {
					t.Errorf("go get %s/... has no package %s", m.Path, name)
				}
			}
		})
	}
}

// packages returns the packages of each module in the tree, by the module's path.
func packages(t *testing.T, w *workspace.Workspace) map[string][]string {
	t.Helper()
	args := []string{"list", "-f={{.Module.Path}} {{.ImportPath}}"}
	for _, m := range w.Modules {
		args = append(args, m.Path+"/...")
	}
	u := &user{dir: w.Root}
	own := make(map[string][]string)
	for line := range strings.Lines(u.run(t, nil, "go", args...)) {
		module, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		own[module] = append(own[module], name)
	}
	for _, m := range w.Modules {
		if len(own[m.Path]) == 0 {
			t.Fatalf("%s has no packages", m.Path)
		}
	}
	return own
}
