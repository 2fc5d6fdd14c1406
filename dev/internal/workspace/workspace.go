// Package workspace knows the modules of a tree, which are those in its go.work. They require each
// other by version, and are tagged together with the same version.
package workspace

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// Workspace is a tree with a go.work.
type Workspace struct {
	Root string
	// Modules are in order: each comes after the modules that it requires.
	Modules []*Module
}

// Module is a module of the tree.
type Module struct {
	Path string
	// Below is the module's directory below the root, with slashes: "." or "bench".
	Below string
	// Siblings has the tree's modules that it requires, directly or not, with the versions.
	Siblings map[string]string
	dir      string
}

// Dir returns the module's directory.
func (m *Module) Dir() string { return m.dir }

// Tag returns the name of the tag of a version: v0.1.0, or bench/v0.1.0.
func (m *Module) Tag(version string) string { return path.Join(m.Below, version) }

// Load reads go.work in the directory root, and the go.mod files of its modules.
func Load(root string) (*Workspace, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	work, err := readWork(root)
	if err != nil {
		return nil, err
	}
	var modules []*Module
	for _, use := range work.Use {
		m := &Module{Below: path.Clean(use.Path), dir: filepath.Join(root, filepath.FromSlash(use.Path))}
		if !filepath.IsLocal(m.Below) {
			return nil, fmt.Errorf("go.work: %s is not in this tree", use.Path)
		}
		modules = append(modules, m)
	}
	files := make(map[*Module]*modfile.File)
	for _, m := range modules {
		file, err := m.read()
		if err != nil {
			return nil, err
		}
		m.Path, files[m] = file.Module.Mod.Path, file
	}
	for _, m := range modules {
		m.Siblings = make(map[string]string)
		for _, r := range files[m].Require {
			if slices.ContainsFunc(modules, func(o *Module) bool { return o.Path == r.Mod.Path }) {
				m.Siblings[r.Mod.Path] = r.Mod.Version
			}
		}
	}
	w := &Workspace{Root: root}
	return w, w.order(modules)
}

// order appends the modules to w.Modules, each after the modules that it requires.
func (w *Workspace) order(modules []*Module) error {
	for len(modules) > 0 {
		i := slices.IndexFunc(modules, func(m *Module) bool {
			for path := range m.Siblings {
				if w.Module(path) == nil {
					return false
				}
			}
			return true
		})
		if i < 0 {
			return errors.New("go.work: its modules require each other in a circle")
		}
		w.Modules = append(w.Modules, modules[i])
		modules = slices.Delete(modules, i, i+1)
	}
	return nil
}

// Module returns the module of that path, or nil.
func (w *Workspace) Module(path string) *Module {
	for _, m := range w.Modules {
		if m.Path == path {
			return m
		}
	}
	return nil
}

// Version returns the version by which the modules require each other. Different versions are an
// error.
func (w *Workspace) Version() (string, error) {
	version := ""
	for _, m := range w.Modules {
		for path, v := range m.Siblings {
			if version != "" && v != version {
				return "", fmt.Errorf("%s/go.mod requires %s %s, and another module requires %s: want one version of all", m.Below, path, v, version)
			}
			version = v
		}
	}
	if version == "" {
		return "", errors.New("go.work: no module requires another")
	}
	return version, nil
}

// CheckVersion returns an error if the modules cannot have that version.
func CheckVersion(version string) error {
	switch {
	case !semver.IsValid(version) || semver.Canonical(version) != version:
		return fmt.Errorf("version %q: want one like v0.1.0, or v0.1.0-rc.1", version)
	case semver.Compare(version, "v2.0.0-0") >= 0:
		return fmt.Errorf("version %s: from v2 on, the paths of the modules must end with /v2", version)
	}
	return nil
}

// Set makes the modules require each other by a version. It sets the version in go.work, too, which
// replaces that version by the tree's directories.
func (w *Workspace) Set(version string) error {
	if err := CheckVersion(version); err != nil {
		return err
	}
	for _, m := range w.Modules {
		file, err := m.read()
		if err != nil {
			return err
		}
		for path := range m.Siblings {
			if err := file.AddRequire(path, version); err != nil {
				return err
			}
			m.Siblings[path] = version
		}
		if err := m.write(file); err != nil {
			return err
		}
	}
	return w.setReplaced(version)
}

// setReplaced sets the version of each line of go.work that replaces a module of the tree.
func (w *Workspace) setReplaced(version string) error {
	work, err := readWork(w.Root)
	if err != nil {
		return err
	}
	for _, r := range work.Replace {
		if w.Module(r.Old.Path) == nil {
			continue
		}
		words := r.Syntax.Token
		i := slices.Index(words, r.Old.Path)
		if i < 0 || i+1 >= len(words) || words[i+1] == "=>" {
			return fmt.Errorf("go.work: want a version in the line that replaces %s", r.Old.Path)
		}
		words[i+1] = version
	}
	return os.WriteFile(filepath.Join(w.Root, "go.work"), modfile.Format(work.Syntax), 0o666)
}

func readWork(root string) (*modfile.WorkFile, error) {
	name := filepath.Join(root, "go.work")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.ParseWork(name, text, nil)
}

func (m *Module) file() string { return filepath.Join(m.dir, "go.mod") }

// read returns the module's go.mod.
func (m *Module) read() (*modfile.File, error) {
	text, err := os.ReadFile(m.file())
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(m.file(), text, nil)
	if err == nil && file.Module == nil {
		err = fmt.Errorf("%s has no module line", m.file())
	}
	return file, err
}

// write writes the module's go.mod.
func (m *Module) write(file *modfile.File) error {
	file.Cleanup()
	text, err := file.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(m.file(), text, 0o666)
}

// isSum reports whether a line of go.sum is about a module of the tree.
func (w *Workspace) isSum(line string) bool {
	path, _, _ := strings.Cut(line, " ")
	return w.Module(path) != nil
}
