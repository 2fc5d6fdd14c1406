package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The files that import package transparent.
const (
	mainFile = "zz_sluice_transparent.go"
	testFile = "zz_sluice_transparent_test.go"
)

// target is a package that gets a file.
type target struct {
	dir, file   string
	packageName string
}

// targets returns the main packages among pkgs, or those with tests, and the
// module that they are all of; "" if there are none.
func targets(pkgs []*listed, tests bool) (found []target, module, root string, err error) {
	for _, p := range pkgs {
		t, ok := targetOf(p, tests)
		if !ok {
			continue
		}
		switch {
		case p.Standard:
			return nil, "", "", fmt.Errorf("%s is of the standard library, which imports no module", p.ImportPath)
		case p.Module == nil:
			return nil, "", "", fmt.Errorf("%s is in no module: go mod init makes one", p.ImportPath)
		case !p.Module.Main:
			return nil, "", "", fmt.Errorf("%s is not in the main module: build it in its own", p.ImportPath)
		case module != "" && module != p.Module.Path:
			return nil, "", "", fmt.Errorf("packages of modules %s and %s are not built at once: build one after the other", module, p.Module.Path)
		}
		module, root = p.Module.Path, p.Module.Dir
		found = append(found, t)
	}
	return found, module, root, nil
}

func targetOf(p *listed, tests bool) (target, bool) {
	switch {
	case tests && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0:
		// An external test may import what depends on the package.
		return target{p.Dir, testFile, p.Name + "_test"}, true
	case !tests && p.Name == "main":
		return target{p.Dir, mainFile, "main"}, true
	}
	return target{}, false
}

// add writes the file into dir, and adds it to replace.
func (t target) add(dir, transparent string, n int, replace map[string]string) error {
	text := fmt.Sprintf("// Added by sluice.\n\npackage %s\n\nimport _ %q\n", t.packageName, transparent)
	real := filepath.Join(dir, "targets", fmt.Sprint(n), t.file)
	name := filepath.Join(t.dir, t.file)
	if err := checkFree(name); err != nil {
		return err
	}
	replace[name] = real
	return writeFile(real, []byte(text))
}

// checkFree returns an error if there is something of that name in the
// program's tree.
func checkFree(name string) error {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is in the way", name)
	}
	return nil
}
