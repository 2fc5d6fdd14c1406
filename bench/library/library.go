// Package library finds the source of the library with which a program was built. `sluice build`
// copies it into other programs, and `sluice bench` builds programs with it.
//
// The source is the first one of:
//
//   - the tree in the environment variable SLUICE_SOURCE;
//   - the directory from which this program was built, by its debug information: a tree of sluice,
//     or the module cache;
//   - the version of the library with which this program was built, in the module cache; the go
//     command downloads it if necessary;
//   - the tree that contains this program's file or the working directory, for a program built in a
//     tree with -trimpath.
package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/bench/cli"
)

// Module is the path of the library's module.
const Module = "github.com/sluiceio/sluice"

// Variable is the environment variable that names a tree of sluice.
const Variable = "SLUICE_SOURCE"

// advice is the end of an error: the user's next step.
const advice = "set " + Variable + " to the absolute path of a tree of sluice"

// Dir returns the absolute directory of the library's module. The go command may download it.
func Dir(ctx context.Context) (string, error) {
	if tree := os.Getenv(Variable); tree != "" {
		return named(tree)
	}
	if dir := builtFrom(); isModule(dir) {
		return dir, nil
	}
	version := Version()
	if version == "" {
		if tree := around(); tree != "" {
			return tree, nil
		}
		return "", errors.New("the source of sluice: the tree in which this command was built is gone, or unknown (-trimpath): run it in that tree, or " + advice)
	}
	dir, err := download(ctx, Module, version)
	if err != nil {
		return "", fmt.Errorf("the source of sluice %s, from which this command was built: %w; %s", version, err, advice)
	}
	return dir, nil
}

// Version returns the published version of the library with which this program was built, or ""
// if it was built in a tree.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cli.Released()
	}
	for _, m := range info.Deps {
		if m.Path == Module && m.Replace == nil && isPublished(m.Version) {
			return m.Version
		}
	}
	return cli.Released()
}

// named returns the tree that the user has named.
func named(tree string) (string, error) {
	if !filepath.IsAbs(tree) {
		return "", fmt.Errorf("%s=%s is not an absolute path; %s", Variable, tree, advice)
	}
	if !isModule(tree) {
		return "", fmt.Errorf("%s=%s has no go.mod of module %s; %s", Variable, tree, Module, advice)
	}
	return filepath.Clean(tree), nil
}

// builtFrom returns the library's directory in this program's debug information. It is not absolute
// if the program was built with -trimpath.
func builtFrom() string {
	open := runtime.FuncForPC(reflect.ValueOf(sluice.Open).Pointer())
	file, _ := open.FileLine(open.Entry())
	return filepath.Dir(filepath.FromSlash(file))
}

// isPublished reports whether a version can be in the module cache. The go command makes up
// versions that end with +dirty for trees with changes.
func isPublished(version string) bool {
	return semver.IsValid(version) && semver.Build(version) == ""
}

// around returns the tree of sluice that contains this program's file or the working directory, or
// "".
func around() string {
	var places []string
	if exe, err := os.Executable(); err == nil {
		places = append(places, filepath.Dir(exe))
	}
	if dir, err := os.Getwd(); err == nil {
		places = append(places, dir)
	}
	for _, dir := range places {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if isModule(dir) {
				return dir
			}
		}
	}
	return ""
}

// isModule reports whether dir is the root of the library's module.
func isModule(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	return hasModule(dir, Module)
}

// hasModule reports whether dir is the root of the module of that path.
func hasModule(dir, module string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && modfile.ModulePath(text) == module
}
