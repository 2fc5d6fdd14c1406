package builds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Starters are two small programs that open and read a file (directory start): by package os, and
// by package sluice. Two builds are needed, because this program itself takes longer to start than
// the file to read.
type Starters struct {
	OS, Sluice string // executable files
	dir        string // holds both
}

// ErrNoStarters is the error of a machine that cannot build the programs: it has no Go toolchain,
// or no source of this module.
var ErrNoStarters = errors.New("the programs that it starts cannot be built")

// MakeStarters builds the programs in a new directory in dir. The caller must close them.
func MakeStarters(ctx context.Context, dir string) (*Starters, error) {
	goExe, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("%w: there is no go command in PATH", ErrNoStarters)
	}
	source, err := moduleDir()
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
	for _, exe := range []string{s.OS, s.Sluice} {
		b := build{exe: goExe, name: "go", dir: source, output: exe, pkg: "./internal/builds/start/" + filepath.Base(exe)}
		if err := b.run(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Close removes the programs.
func (s *Starters) Close() error { return os.RemoveAll(s.dir) }

// moduleDir returns the directory of this module's source: that from which this program was built,
// or the one in SLUICE_SOURCE, as for sluice build.
func moduleDir() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if tree := os.Getenv("SLUICE_SOURCE"); tree != "" {
		dir = filepath.Join(tree, "bench")
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); !filepath.IsAbs(dir) || err != nil {
		return "", errors.New("the source of sluice is not where this command was built: set SLUICE_SOURCE to the absolute path of sluice's source tree")
	}
	return dir, nil
}
