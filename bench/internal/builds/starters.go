package builds

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/sluiceio/sluice/bench/library"
)

// Starters are two small programs that open and read a file (directory start): with package os, and
// with package sluice. They are separate programs because this one takes longer to start than to
// read the file.
type Starters struct {
	OS, Sluice string // executable files
	dir        string // holds both
}

// ErrNoStarters is the error of a machine that cannot build the programs: it lacks a Go toolchain,
// or the source of the library.
var ErrNoStarters = errors.New("the programs that it starts cannot be built")

// MakeStarters builds the programs in a new directory in dir. The caller must close them.
func MakeStarters(ctx context.Context, dir string) (*Starters, error) {
	goExe, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("%w: there is no go command in PATH", ErrNoStarters)
	}
	source, err := library.Dir(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoStarters, err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if dir, err = os.MkdirTemp(dir, ".sluice-bench-*"); err != nil {
		return nil, err
	}
	s := &Starters{OS: filepath.Join(dir, "os"), Sluice: filepath.Join(dir, "sluice"), dir: dir}
	module := filepath.Join(dir, "source")
	err = writeStarters(module, source)
	for _, exe := range []string{s.OS, s.Sluice} {
		if err == nil {
			err = build{exe: goExe, name: "go", dir: module, output: exe, pkg: "./start/" + filepath.Base(exe)}.run(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close removes the programs.
func (s *Starters) Close() error { return os.RemoveAll(s.dir) }

// starter has the two programs, in files with their names.
//
//go:embed start/*/main.go
var starter embed.FS

// writeStarters writes the two programs as a module in dir. It requires the library in the
// directory source.
func writeStarters(dir, source string) error {
	// The module needs the library's requirement: golang.org/x/sys.
	text, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	mod, err := modfile.ParseLax("go.mod", text, nil)
	if err != nil {
		return err
	}
	const required = "v0.0.0" // replaced by the directory
	if err := errors.Join(mod.AddModuleStmt("example.com/start"), mod.AddRequire(library.Module, required),
		mod.AddReplace(library.Module, required, source, "")); err != nil {
		return err
	}
	if text, err = mod.Format(); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, starter); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o666),
		os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o666))
}
