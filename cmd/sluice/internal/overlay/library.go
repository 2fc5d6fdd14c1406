package overlay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// library is the path of the module of package transparent.
const library = "github.com/sluiceio/sluice"

// shadow is the directory of the library in the program's module. Its name begins with
// an underscore, so "./..." does not match it.
const shadow = "_sluice"

// movedTo returns the import path in module of a package that is copied there: of the
// library, or of a module that the library imports.
func movedTo(module, path string) string {
	return module + "/" + shadow + strings.TrimPrefix("/"+path, "/"+library)
}

// addLibrary adds the library from the directory source to replace, as tool compiles it, as files
// of the module of p. s has them, or dir.
func addLibrary(ctx context.Context, s store, dir string, tool toolchain, source string, p program, replace map[string]string) error {
	lib, err := askLibrary(ctx, s, tool, source)
	if err != nil {
		return fmt.Errorf("the source of sluice in %s: %w", source, err)
	}
	embeds, err := takesEmbed(p.Root)
	if err != nil {
		return err
	}
	key := func(contents []string) string { return keyOf("library", p.Module, embeds, lib.Packages, contents) }
	files, ok := s.find("library", key(lib.Contents))
	if !ok {
		// Its files may have changed since they were listed.
		src, err := readLibrary(lib.Packages)
		if err != nil {
			return fmt.Errorf("the source of sluice in %s: %w", source, err)
		}
		files, err = s.set("library", key(contents(src)), filepath.Join(dir, "library"), func() (map[string][]byte, error) {
			return moveLibrary(lib.Packages, src, p.Module, embeds)
		})
		if err != nil {
			return err
		}
	}
	files.replacing(p.Root, replace)
	return nil
}

// librarySource is the library's packages, and the content of their files.
type librarySource struct {
	Packages []*listed
	Contents []string
}

// askLibrary returns what listLibrary returns. s may know it from an earlier call.
func askLibrary(ctx context.Context, s store, tool toolchain, dir string) (librarySource, error) {
	return ask(s, "source", keyOf(dir, tool.target()), func() (librarySource, []place, error) {
		pkgs, err := listLibrary(ctx, tool, dir)
		if err != nil {
			return librarySource{}, nil, err
		}
		src, err := readLibrary(pkgs)
		if err != nil {
			return librarySource{}, nil, err
		}
		places := []place{}
		if !inside(dir, tool.GOMODCACHE) {
			places = append(places, place{Name: filepath.Join(dir, "go.mod"), Whole: true}, place{Name: filepath.Join(dir, "go.sum"), Whole: true})
		}
		for _, p := range pkgs {
			if !inside(p.Dir, tool.GOMODCACHE) {
				places = append(places, place{Name: p.Dir, Dir: true, Whole: true})
			}
			for _, name := range p.EmbedFiles {
				places = append(places, place{Name: filepath.Join(p.Dir, filepath.FromSlash(name)), Whole: true})
			}
			if len(p.EmbedFiles) > 0 && !inside(p.Dir, tool.GOMODCACHE) {
				places = append(places, place{Name: p.Dir, Dir: true, Tree: true, Names: true})
			}
		}
		return librarySource{pkgs, contents(src)}, places, nil
	})
}

// readLibrary returns the files of the packages, by package and name.
func readLibrary(pkgs []*listed) (map[string][]byte, error) {
	src := make(map[string][]byte)
	for _, p := range pkgs {
		for _, name := range slices.Concat(p.GoFiles, p.EmbedFiles) {
			text, err := os.ReadFile(filepath.Join(p.Dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			src[p.ImportPath+"/"+name] = text
		}
	}
	return src, nil
}

// moveLibrary returns the files of the packages as files of module, by their names below its root.
// embeds says that the module may have go:embed.
func moveLibrary(pkgs []*listed, src map[string][]byte, module string, embeds bool) (map[string][]byte, error) {
	w := rewriter{moved: make(map[string]string)}
	for _, p := range pkgs {
		w.moved[p.ImportPath] = movedTo(module, p.ImportPath)
		if p.ImportPath == library {
			w.language = "go" + language(p.Module.GoVersion)
		}
	}
	files := make(map[string][]byte)
	for _, p := range pkgs {
		w.embedded = nil
		if !embeds {
			w.embedded = make(map[string][]byte)
			for _, name := range p.EmbedFiles {
				w.embedded[name] = src[p.ImportPath+"/"+name]
			}
		}
		below := strings.TrimPrefix(w.moved[p.ImportPath], module+"/") + "/"
		for _, name := range p.GoFiles {
			text, err := w.rewrite(name, src[p.ImportPath+"/"+name])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
			}
			files[below+name] = text
		}
		if !embeds {
			continue
		}
		for _, name := range p.EmbedFiles {
			files[below+name] = src[p.ImportPath+"/"+name]
		}
	}
	return files, nil
}

// language returns the language version of a version of Go: 1.26 for 1.26.0.
func language(version string) string {
	if parts := strings.SplitN(version, ".", 3); len(parts) > 2 {
		return parts[0] + "." + parts[1]
	}
	return version
}

// listLibrary returns package transparent and all packages that it imports, except those
// of the standard library, each with the files of builds with each of the library's build
// tags, any of which the program may be built with. Some files are for some versions of Go alone,
// so the program's toolchain lists them.
func listLibrary(ctx context.Context, tool toolchain, source string) ([]*listed, error) {
	var pkgs []*listed
	// These undo the program's settings, which must not apply to the library's module.
	env := []string{"GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "GOTOOLCHAIN=" + tool.choice()}
	// No file is for one of two tags that are together here.
	for _, tags := range []string{"", "race,sluice_stress", "sluice_probes", "sluice_notrace"} {
		more, err := goJSON[*listed](ctx, source, env, "list", "-deps", "-tags="+tags, listFields, ownTransparent)
		if err != nil {
			return nil, err
		}
		for _, p := range more {
			i := slices.IndexFunc(pkgs, func(q *listed) bool { return q.ImportPath == p.ImportPath })
			switch {
			case p.Standard:
			case i < 0:
				pkgs = append(pkgs, p)
			default:
				pkgs[i].GoFiles = append(pkgs[i].GoFiles, p.GoFiles...)
			}
		}
	}
	for _, p := range pkgs {
		slices.Sort(p.GoFiles)
		p.GoFiles = slices.Compact(p.GoFiles)
	}
	return pkgs, nil
}
