package overlay

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// dependency is a package that is built: one that was asked for, one of its tests, or one that
// these import.
type dependency struct {
	ImportPath, Dir, Name string
	DepOnly               bool   // was not asked for
	Standard              bool   // is the standard library's
	Incomplete            bool   // it, or a package that it imports, has an error
	ForTest               string // the package whose tests it is built for

	// The patterns of go:embed, and the files that they match if an overlay was given.
	EmbedPatterns, TestEmbedPatterns, XTestEmbedPatterns []string
	EmbedFiles, TestEmbedFiles, XTestEmbedFiles          []string
}

// patterns returns the patterns of go:embed in the files that are built.
func (d *dependency) patterns(tests bool) []string {
	if tests && !d.DepOnly {
		return slices.Concat(d.EmbedPatterns, d.TestEmbedPatterns, d.XTestEmbedPatterns)
	}
	return d.EmbedPatterns
}

// embedded returns the files that patterns match.
func (d *dependency) embedded(tests bool) []string {
	if tests && !d.DepOnly {
		return slices.Concat(d.EmbedFiles, d.TestEmbedFiles, d.XTestEmbedFiles)
	}
	return d.EmbedFiles
}

const (
	dependencyFields = "-json=ImportPath,Dir,Name,DepOnly,Standard,Incomplete,ForTest,EmbedPatterns,TestEmbedPatterns,XTestEmbedPatterns"
	// The go command looks for the files only if it is asked to.
	embeddedFields = dependencyFields + ",EmbedFiles,TestEmbedFiles,XTestEmbedFiles"
)

// dependencies returns the packages that the go command builds for r, with the overlay in file
// if that is not "". The go command reports errors of the packages when it builds them.
func dependencies(ctx context.Context, r Request, file string) ([]dependency, error) {
	args := []string{"list", "-e", "-deps"}
	if r.Tests {
		args = append(args, "-test")
	}
	if file == "" {
		args = append(args, dependencyFields)
	} else {
		args = append(args, embeddedFields, "-overlay="+file)
	}
	return goJSON[dependency](ctx, r.Dir, nil, slices.Concat(args, r.Flags, r.Packages)...)
}

// checkEmbeds returns an error if a package embeds one of the files that the overlay adds: the
// program would have files that it does not have without sluice. deps are the packages without
// the overlay, and replace is what the overlay's file has. Most programs embed nothing where
// files are added; the go command does not run for them once more.
func checkEmbeds(ctx context.Context, r Request, file string, deps []dependency, replace map[string]string) error {
	if !slices.ContainsFunc(deps, func(d dependency) bool { return len(d.patterns(r.Tests)) > 0 && addsBelow(d.Dir, replace) }) {
		return nil
	}
	all, err := dependencies(ctx, r, file)
	if err != nil {
		return err
	}
	own := make(map[string]bool, len(deps))
	for _, d := range deps {
		own[d.ImportPath] = true
	}
	for _, d := range all {
		if !own[d.ImportPath] {
			continue // a package of sluice
		}
		for _, name := range d.embedded(r.Tests) {
			if _, ok := replace[filepath.Join(d.Dir, filepath.FromSlash(name))]; ok {
				return fmt.Errorf("package %s would embed %s, which sluice adds for the build: make its go:embed narrower (%s)",
					d.ImportPath, name, strings.Join(d.patterns(r.Tests), " "))
			}
		}
	}
	return nil
}

// addsBelow reports whether one of the files of replace is in dir or below.
func addsBelow(dir string, replace map[string]string) bool {
	for name := range replace {
		if below, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(below) {
			return true
		}
	}
	return false
}
