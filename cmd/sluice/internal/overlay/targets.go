package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files that import package transparent.
const (
	mainFile = "zz_sluice_transparent.go"
	testFile = "zz_sluice_transparent_test.go"
)

// target is a package to which a file is added.
type target struct {
	Dir, File   string
	PackageName string
}

// targets returns the main packages among pkgs, or those with tests, and the path and root
// directory of the module of the first one. The others are in that module or, in a workspace, in
// other main modules, which may import its packages. Without packages module is "".
func targets(pkgs []dependency, tests bool) (found []target, module, root string, err error) {
	for _, p := range pkgs {
		t, ok := targetOf(p, tests)
		if !ok {
			continue
		}
		switch {
		case p.Standard:
			return nil, "", "", fmt.Errorf("%s is in the standard library, which cannot import a module", p.ImportPath)
		case p.Module == nil:
			return nil, "", "", fmt.Errorf("%s is in no module: make one with go mod init", p.ImportPath)
		case !p.Module.Main:
			return nil, "", "", fmt.Errorf("%s is not in the main module: build it in its own module", p.ImportPath)
		}
		if module == "" {
			module, root = p.Module.Path, p.Module.Dir
		}
		found = append(found, t)
	}
	return found, module, root, nil
}

func targetOf(p dependency, tests bool) (target, bool) {
	switch {
	case tests && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0:
		// The external test package may import packages that depend on this one.
		return target{p.Dir, testFile, p.Name + "_test"}, true
	case !tests && p.Name == "main" && len(p.GoFiles)+len(p.CgoFiles) > 0:
		// Without cgo a package may have no file left. An added file would hide that from the go
		// command.
		return target{p.Dir, mainFile, "main"}, true
	}
	return target{}, false
}

// add writes the package's file into dir, and adds it to replace.
func (t target) add(dir, transparent string, n int, replace map[string]string) error {
	text := fmt.Sprintf("// Added by sluice.\n\npackage %s\n\nimport _ %q\n", t.PackageName, transparent)
	if t.File == testFile {
		text += environment(os.Environ())
	}
	real := filepath.Join(dir, "targets", fmt.Sprint(n), t.File)
	name := filepath.Join(t.Dir, t.File)
	if err := checkFree(name); err != nil {
		return err
	}
	replace[name] = real
	if err := writeFile(real, []byte(text)); err != nil {
		return err
	}
	at := timeOf([]byte(text))
	return os.Chtimes(real, at, at)
}

// environment returns code that makes the variables SLUICE_* of environ a part of the test binary.
// The go command remembers a test's result by the binary and by the variables that the test has
// read. The library reads its own before the tests begin, when the go command does not see that
// yet.
func environment(environ []string) string {
	var own []string
	for _, v := range environ {
		if strings.HasPrefix(v, "SLUICE_") {
			own = append(own, v)
		}
	}
	slices.Sort(own)
	return fmt.Sprintf(`
var zzSluiceEnvironment = %q

//go:noinline
func zzSluiceKeep(*string) {}

// What the linker cannot drop is a part of the binary.
func init() { zzSluiceKeep(&zzSluiceEnvironment) }
`, strings.Join(own, "\n"))
}

// checkFree returns an error if the name exists in the program's tree.
func checkFree(name string) error {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists, and sluice needs that name", name)
	}
	return nil
}
