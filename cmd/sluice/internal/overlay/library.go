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

// copyLibrary copies the library from the directory source to dir, as tool compiles it. It adds the
// files to replace as files of module, whose root directory is root.
func copyLibrary(ctx context.Context, tool toolchain, source, dir, module, root string, replace map[string]string) error {
	pkgs, err := listLibrary(ctx, tool, source)
	if err != nil {
		return fmt.Errorf("the source of sluice in %s: %w", source, err)
	}
	c := &copier{dir: dir, root: root, module: module, replace: replace}
	if c.embeds, err = mayEmbed(root); err != nil {
		return err
	}
	c.moved = make(map[string]string)
	for _, p := range pkgs {
		c.moved[p.ImportPath] = movedTo(module, p.ImportPath)
		if p.ImportPath == library {
			c.language = "go" + language(p.Module.GoVersion)
		}
	}
	for _, p := range pkgs {
		if err := c.copyPackage(p); err != nil {
			return err
		}
	}
	return nil
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

// copier copies packages of the library.
type copier struct {
	rewriter
	dir, module, root string
	replace           map[string]string
	embeds            bool // the module may have go:embed
}

func (c *copier) copyPackage(p *listed) error {
	c.embedded, c.from = nil, p.Dir
	if !c.embeds {
		c.embedded = p.EmbedFiles
	}
	for _, name := range p.GoFiles {
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		out, err := c.rewrite(name, src)
		if err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		if err := c.add(p.ImportPath, name, out); err != nil {
			return err
		}
	}
	if !c.embeds {
		return nil
	}
	for _, name := range p.EmbedFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if err := c.add(p.ImportPath, name, text); err != nil {
			return err
		}
	}
	return nil
}

// add writes a file of the package whose original import path is path.
func (c *copier) add(path, name string, text []byte) error {
	below := filepath.FromSlash(strings.TrimPrefix(c.moved[path], c.module+"/"))
	real := filepath.Join(c.dir, below, name)
	c.replace[filepath.Join(c.root, below, name)] = real
	return writeFile(real, text)
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}
