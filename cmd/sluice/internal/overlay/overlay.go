package overlay

import (
	"context"
	"encoding/json"
	"fmt"
	"go/build"
	"path/filepath"
	"strings"
)

// Request is what to build.
type Request struct {
	// Source is the directory of the library's module.
	Source string
	// Dir is the directory in which the go command runs.
	Dir string
	// Flags are the build flags that choose the files of a package (-tags, -race and so
	// on). Packages are the arguments after them: patterns, or Go files.
	Flags, Packages []string
	// Tests is set if the tests of the packages are built.
	Tests bool
}

// Overlay is the overlay that Write has written.
type Overlay struct {
	// File is for `go build -overlay`.
	File string
	// Standard is File with only the files of the standard library, for
	// `go vet -overlay`: vet runs in the directory of each package, and the directories
	// of the library do not exist.
	Standard string
	// Named are the packages that were asked for and have no error, nor have their tests or what
	// these import.
	Named []Package
	// Added are the files that import package transparent, and the files that Fail adds. If the go
	// command is given Go files instead of packages, it also needs the added files of their
	// directory.
	Added []string
	// Cover is for NewCover.
	Cover string
	// GOFLAGS is the variable of the environment, or of `go env -w`.
	GOFLAGS string
	// Go is the go command that must build with File, and Env the additions to its
	// environment.
	Go  string
	Env []string
	// Notes are messages for the user.
	Notes []string
}

// Write writes an overlay into dir, an empty directory. It runs the go command. The
// target may be another system than this one.
func Write(ctx context.Context, dir string, r Request) (*Overlay, error) {
	tool, err := askToolchain(ctx, r.Dir)
	if err != nil {
		return nil, err
	}
	pkgs, err := list(ctx, r)
	if err != nil {
		return nil, err
	}
	found, module, root, err := targets(pkgs, r.Tests)
	if err != nil {
		return nil, err
	}
	// The directory may be in the program's module, if TMPDIR is. As a module of its own it has
	// no packages of the program, and "./..." does not match them.
	if err := writeFile(filepath.Join(dir, "go.mod"), []byte("module overlay\n")); err != nil {
		return nil, err
	}
	o := &Overlay{
		File: filepath.Join(dir, "overlay.json"), Standard: filepath.Join(dir, "standard.json"),
		Cover: filepath.Join(dir, "cover.json"), GOFLAGS: tool.GOFLAGS,
	}
	o.Go, o.Env = tool.command()
	o.noteVersion(tool)
	deps, err := dependencies(ctx, r, "")
	if err != nil {
		return nil, err
	}
	o.Named = complete(deps)
	transparent := o.chooseLibrary(deps, r, module)
	replace := make(map[string]string)
	hooks, err := readHooks(r.Source)
	if err != nil {
		return nil, err
	}
	if err := addStandard(dir, tool, hooks, replace); err != nil {
		return nil, err
	}
	if err := writeJSON(o.Standard, replace); err != nil {
		return nil, err
	}
	if len(found) > 0 && transparent != ownTransparent {
		if err := checkFree(filepath.Join(root, shadow)); err != nil {
			return nil, err
		}
		if err := copyLibrary(ctx, tool, r.Source, filepath.Join(dir, "library"), module, root, replace); err != nil {
			return nil, err
		}
	}
	for i, t := range found {
		if err := t.add(dir, transparent, i, replace); err != nil {
			return nil, err
		}
		o.Added = append(o.Added, filepath.Join(t.dir, t.file))
	}
	if err := writeCover(o.Cover, dir, replace); err != nil {
		return nil, err
	}
	if err := writeJSON(o.File, replace); err != nil {
		return nil, err
	}
	if err := checkEmbeds(ctx, r, o.File, deps, replace); err != nil {
		return nil, err
	}
	return o, nil
}

// ownTransparent is the import path of package transparent in the library's module.
const ownTransparent = library + "/transparent"

// chooseLibrary returns the import path of package transparent for a program in module. If
// the program imports the library itself, and that copy goes with this command, it is that
// copy's, else that of the copy in the overlay.
func (o *Overlay) chooseLibrary(deps []dependency, r Request, module string) string {
	moved := movedTo(module, ownTransparent)
	own := ownLibrary(deps)
	if own == "" {
		return moved
	}
	ok, why := shared(own, r.Source)
	if ok {
		return ownTransparent
	}
	o.Notes = append(o.Notes, noteOf(own, why))
	return moved
}

// list returns the packages to build. An error in one of them is not reported here: the
// go command reports it when it builds. A package of named files can import the packages of
// the main modules, wherever the files are. Its module is the one that has the files, else
// the first.
func list(ctx context.Context, r Request) ([]*listed, error) {
	for _, p := range r.Packages {
		// Go run module@version
		if strings.Contains(p, "@") && !build.IsLocalImport(p) && !filepath.IsAbs(p) {
			return nil, fmt.Errorf("%s is not in the main module: build it in its own module", p)
		}
	}
	args := append([]string{"list", "-e", listFields}, r.Flags...)
	pkgs, err := goJSON[*listed](ctx, r.Dir, nil, append(args, r.Packages...)...)
	if err != nil || len(pkgs) != 1 || pkgs[0].Module != nil || pkgs[0].ImportPath != "command-line-arguments" {
		return pkgs, err
	}
	mains, err := goJSON[*module](ctx, r.Dir, nil, "list", "-m", "-json")
	if err != nil {
		return nil, err
	}
	for _, m := range mains {
		if !m.Main || m.Dir == "" { // outside of all modules there is one without a directory
			continue
		}
		below, err := filepath.Rel(m.Dir, pkgs[0].Dir)
		if pkgs[0].Module == nil || err == nil && filepath.IsLocal(below) {
			pkgs[0].Module = m
		}
	}
	return pkgs, nil
}

// addStandard writes the changed files of the standard library into dir and
// adds them to replace.
func addStandard(dir string, tool toolchain, hooks []byte, replace map[string]string) error {
	files, err := standardFiles(tool.GOROOT, tool.GOVERSION, hooks)
	if err != nil {
		return err
	}
	for name, text := range files {
		real := filepath.Join(dir, "standard", filepath.FromSlash(name))
		replace[filepath.Join(tool.GOROOT, "src", filepath.FromSlash(name))] = real
		if err := writeFile(real, text); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes a file for `go build -overlay`.
func writeJSON(name string, replace map[string]string) error {
	text, err := json.MarshalIndent(struct{ Replace map[string]string }{replace}, "", "\t")
	if err != nil {
		return err
	}
	return writeFile(name, text)
}
