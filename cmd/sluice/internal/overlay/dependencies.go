package overlay

import (
	"context"
	"fmt"
	"path"
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
	Module                *module
	GoFiles, CgoFiles     []string // that the go command compiles
	TestGoFiles           []string
	XTestGoFiles          []string

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
	dependencyFields = "-json=ImportPath,Dir,Name,DepOnly,Standard,Incomplete,ForTest,Module,GoFiles,CgoFiles," +
		"TestGoFiles,XTestGoFiles,EmbedPatterns,TestEmbedPatterns,XTestEmbedPatterns"
	// The go command looks for the files only if it is asked to.
	embeddedFields = "-json=ImportPath,Dir,Name,DepOnly,EmbedPatterns,TestEmbedPatterns,XTestEmbedPatterns,EmbedFiles,TestEmbedFiles,XTestEmbedFiles"
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
// program would have files that it does not have without sluice. embedding are the packages with
// patterns, and replace is what the overlay's file has. The go command runs only if a pattern may
// match an added file, which is rare.
func checkEmbeds(ctx context.Context, r Request, file string, embedding []dependency, replace map[string]string) error {
	if !slices.ContainsFunc(embedding, func(d dependency) bool { return mayEmbed(d, r.Tests, replace) }) {
		return nil
	}
	all, err := dependencies(ctx, r, file)
	if err != nil {
		return err
	}
	own := make(map[string]bool, len(embedding))
	for _, d := range embedding {
		own[d.ImportPath] = true
	}
	for _, d := range all {
		if !own[d.ImportPath] {
			continue // a package of sluice, or without patterns
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

// mayEmbed reports whether a pattern of d matches a file of replace, or a directory above it.
func mayEmbed(d dependency, tests bool, replace map[string]string) bool {
	for name := range replace {
		below, ok := strings.CutPrefix(name, d.Dir+string(filepath.Separator))
		if !ok {
			continue
		}
		for below = filepath.ToSlash(below); below != "."; below = path.Dir(below) {
			for _, pattern := range d.patterns(tests) {
				// A pattern that path does not understand is left to the go command.
				if ok, err := path.Match(strings.TrimPrefix(pattern, "all:"), below); ok || err != nil {
					return true
				}
			}
		}
	}
	return false
}
