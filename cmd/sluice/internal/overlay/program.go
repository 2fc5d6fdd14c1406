package overlay

import (
	"context"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// program is what an overlay needs to know of the packages that are built. Its fields are exported
// for the store.
type program struct {
	Targets []target
	// Module is the path of the module of the first target, and Root its directory; "" without
	// targets.
	Module, Root string
	// Own is the directory of the library that the packages import themselves; "" if they import
	// none.
	Own string
	// Embedding are the packages with patterns of go:embed.
	Embedding []dependency
	// Named are for Overlay.Named.
	Named []Package
}

// askProgram returns what go list says of the program. s may know it from an earlier call.
func askProgram(ctx context.Context, s store, r Request, tool toolchain) (program, error) {
	for _, p := range r.Packages {
		// Go run module@version
		if strings.Contains(p, "@") && !build.IsLocalImport(p) && !filepath.IsAbs(p) {
			return program{}, fmt.Errorf("%s is not in the main module: build it in its own module", p)
		}
	}
	// The go command takes the name of the working directory from PWD, and finds packages from
	// there.
	work, err := os.Getwd()
	if err != nil {
		return program{}, err
	}
	key := keyOf(tool.environment, os.Getenv("PWD"), work, r.Dir, r.Flags, r.Packages, r.Tests)
	return ask(s, "program", key, func() (program, []place, error) {
		deps, err := listProgram(ctx, r)
		if err != nil {
			return program{}, nil, err
		}
		p, err := programOf(deps, r.Tests, tool)
		if err != nil || !constant(deps, r, tool) {
			return p, nil, err
		}
		places, err := placesOf(deps, r, tool)
		if err != nil {
			places = nil // the answer is right, and the next call asks again
		}
		return p, places, nil
	})
}

// listProgram returns the packages that the go command builds for r. The go command reports their
// errors when it builds them. A package of named files can import the packages of the main modules,
// wherever the files are. Its module is the one that has the files, else the first.
func listProgram(ctx context.Context, r Request) ([]dependency, error) {
	deps, err := dependencies(ctx, r, "")
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(deps, func(d dependency) bool { return d.ImportPath == "command-line-arguments" && d.Module == nil })
	if i < 0 {
		return deps, nil
	}
	mains, err := goJSON[*module](ctx, r.Dir, nil, "list", "-m", "-json")
	if err != nil {
		return nil, err
	}
	for _, m := range mains {
		if !m.Main || m.Dir == "" { // outside of all modules there is one without a directory
			continue
		}
		below, err := filepath.Rel(m.Dir, deps[i].Dir)
		if deps[i].Module == nil || err == nil && filepath.IsLocal(below) {
			deps[i].Module = m
		}
	}
	return deps, nil
}

// programOf returns what an overlay needs of deps.
func programOf(deps []dependency, tests bool, tool toolchain) (program, error) {
	p := program{Own: ownLibrary(deps), Named: complete(deps)}
	for _, d := range deps {
		// No pattern reaches from one module into another.
		if !d.Standard && len(d.patterns(tests)) > 0 && !inside(d.Dir, tool.GOMODCACHE) {
			p.Embedding = append(p.Embedding, d)
		}
	}
	var err error
	p.Targets, p.Module, p.Root, err = targets(asked(deps), tests)
	return p, err
}

// asked returns the packages that were asked for, without what go list makes of them for their
// tests.
func asked(deps []dependency) (named []dependency) {
	dirs := make(map[string]string)
	for _, d := range deps {
		dirs[d.ImportPath] = d.Dir
	}
	for _, d := range deps {
		of, test := strings.CutSuffix(d.ImportPath, ".test")
		dir, there := dirs[of]
		if main := test && there && dir == d.Dir; !d.DepOnly && d.ForTest == "" && !main {
			named = append(named, d)
		}
	}
	return named
}

// constant reports whether an answer can be kept. With some flags go list may change go.mod, or
// reads files that placesOf does not return. A change of any file may end an error in a package.
func constant(deps []dependency, r Request, tool toolchain) bool {
	if tool.GOMOD == "" || tool.GOMOD == os.DevNull || tool.GO111MODULE == "off" {
		return false
	}
	if len(deps) == 0 || slices.ContainsFunc(deps, func(d dependency) bool { return d.Incomplete }) {
		return false
	}
	for _, flag := range append(strings.Fields(tool.GOFLAGS), r.Flags...) {
		if strings.Contains(flag, "modfile") || strings.Contains(flag, "mod=mod") || strings.Contains(flag, "compiler") {
			return false
		}
	}
	// These names mean more packages than the directories of the main modules have.
	return !slices.ContainsFunc(r.Packages, func(p string) bool {
		return slices.Contains([]string{"all", "std", "cmd", "tool", "work"}, p)
	})
}

// placesOf returns where deps come from: the modules' files, and the directories of packages.
func placesOf(deps []dependency, r Request, tool toolchain) ([]place, error) {
	names, mains, err := moduleFiles(tool)
	if err != nil {
		return nil, err
	}
	var places []place
	for _, name := range names {
		places = append(places, place{Name: name, Whole: true})
	}
	// A pattern may come to match a directory that has no package yet.
	if slices.ContainsFunc(r.Packages, func(p string) bool { return strings.Contains(p, "...") }) {
		for _, dir := range mains {
			places = append(places, place{Name: dir, Dir: true, Tree: true, Tests: r.Tests})
		}
	}
	seen := make(map[string]bool)
	for _, d := range deps {
		if !d.Standard && d.Dir != "" && !seen[d.Dir] && !inside(d.Dir, tool.GOMODCACHE) {
			seen[d.Dir] = true
			places = append(places, place{Name: d.Dir, Dir: true, Tests: r.Tests, Names: r.Tests})
		}
	}
	return places, nil
}

// moduleFiles returns the files that say which modules there are, and the directories of the main
// modules. Not all of these files need exist.
func moduleFiles(tool toolchain) (names, mains []string, err error) {
	var replaced []*modfile.Replace
	local := func(root string) {
		for _, r := range replaced {
			if r.New.Version == "" {
				names = append(names, filepath.Join(absolute(root, r.New.Path), "go.mod"))
			}
		}
	}
	mains = []string{filepath.Dir(tool.GOMOD)}
	if tool.GOWORK != "" && tool.GOWORK != "off" {
		work, err := parse(tool.GOWORK, modfile.ParseWork)
		if err != nil {
			return nil, nil, err
		}
		root := filepath.Dir(tool.GOWORK)
		names = append(names, tool.GOWORK, filepath.Join(root, "go.work.sum"), filepath.Join(root, "vendor", "modules.txt"))
		replaced, mains = work.Replace, nil
		local(root)
		for _, u := range work.Use {
			mains = append(mains, absolute(root, u.Path))
		}
	}
	for _, root := range mains {
		mod, err := parse(filepath.Join(root, "go.mod"), modfile.Parse)
		if err != nil {
			return nil, nil, err
		}
		names = append(names, filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum"), filepath.Join(root, "vendor", "modules.txt"))
		replaced = mod.Replace
		local(root)
	}
	return names, mains, nil
}

// parse reads a go.mod or a go.work.
func parse[T any](name string, as func(string, []byte, modfile.VersionFixer) (T, error)) (file T, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return file, err
	}
	return as(name, text, nil)
}

// absolute returns the name of a file that root's files name.
func absolute(root, name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(root, name)
}

// inside reports whether dir is root, or below it.
func inside(dir, root string) bool {
	below, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(below)
}
