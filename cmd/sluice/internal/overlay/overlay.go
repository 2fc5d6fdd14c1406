package overlay

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
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
	// Store is a directory, which need not exist, for what later calls can use again. The overlay
	// has files there. If it is "", or cannot be written, the overlay has no files outside of its
	// directory.
	Store string
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
	s := store{r.Store}
	p, err := askProgram(ctx, s, r, tool)
	if err != nil {
		return nil, err
	}
	// The directory may be in the program's module, if TMPDIR is. As a module of its own it has
	// no packages of the program, and "./..." does not match them.
	if err := writeFile(filepath.Join(dir, "go.mod"), []byte(moduleText)); err != nil {
		return nil, err
	}
	o := &Overlay{
		File: filepath.Join(dir, "overlay.json"), Standard: filepath.Join(dir, "standard.json"),
		Cover: filepath.Join(dir, "cover.json"), GOFLAGS: tool.GOFLAGS, Named: p.Named,
	}
	o.Go, o.Env = tool.command()
	o.noteVersion(tool)
	transparent := o.chooseLibrary(p, r.Source)
	replace := make(map[string]string)
	if err := addStandard(s, dir, tool, r.Source, replace); err != nil {
		return nil, err
	}
	if err := writeJSON(o.Standard, replace); err != nil {
		return nil, err
	}
	standard := maps.Clone(replace)
	if len(p.Targets) > 0 && transparent != ownTransparent {
		if err := checkFree(filepath.Join(p.Root, shadow)); err != nil {
			return nil, err
		}
		if err := addLibrary(ctx, s, dir, tool, r.Source, p, replace); err != nil {
			return nil, err
		}
	}
	for i, t := range p.Targets {
		if err := t.add(dir, transparent, i, replace); err != nil {
			return nil, err
		}
		o.Added = append(o.Added, filepath.Join(t.Dir, t.File))
	}
	if err := writeCover(o.Cover, tool.GOROOT, standard, replace); err != nil {
		return nil, err
	}
	if err := writeJSON(o.File, replace); err != nil {
		return nil, err
	}
	if err := checkEmbeds(ctx, r, o.File, p.Embedding, replace); err != nil {
		return nil, err
	}
	return o, nil
}

// ownTransparent is the import path of package transparent in the library's module.
const ownTransparent = library + "/transparent"

// chooseLibrary returns the import path of package transparent for a program. If
// the program imports the library itself, and that copy goes with this command, it is that
// copy's, else that of the copy in the overlay.
func (o *Overlay) chooseLibrary(p program, source string) string {
	moved := movedTo(p.Module, ownTransparent)
	if p.Own == "" {
		return moved
	}
	ok, why := shared(p.Own, source)
	if ok {
		return ownTransparent
	}
	o.Notes = append(o.Notes, noteOf(p.Own, why))
	return moved
}

// addStandard adds the changed files of the standard library to replace. s has them, or dir.
func addStandard(s store, dir string, tool toolchain, source string, replace map[string]string) error {
	hooks, err := readHooks(source)
	if err != nil {
		return err
	}
	src, err := readStandard(tool.GOROOT, tool.GOVERSION)
	if err != nil {
		return err
	}
	key := keyOf("standard", contents(src), string(hooks))
	files, err := s.set("standard", key, filepath.Join(dir, "standard"), func() (map[string][]byte, error) {
		return standardFiles(tool.GOROOT, tool.GOVERSION, src, hooks)
	})
	files.replacing(filepath.Join(tool.GOROOT, "src"), replace)
	return err
}

// writeJSON writes a file for `go build -overlay`.
func writeJSON(name string, replace map[string]string) error {
	text, err := json.MarshalIndent(struct{ Replace map[string]string }{replace}, "", "\t")
	if err != nil {
		return err
	}
	return writeFile(name, text)
}
