package overlay

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Package is a package that was asked for.
type Package struct{ ImportPath, Dir, Name string }

// complete returns the packages among deps that were asked for and are built without an error, as
// far as go list knows.
func complete(deps []dependency) (named []Package) {
	incomplete := make(map[string]bool)
	for _, d := range deps {
		if d.Incomplete {
			incomplete[d.ImportPath], incomplete[d.ForTest] = true, true
			// Of the test's main package
			incomplete[strings.TrimSuffix(d.ImportPath, ".test")] = true
		}
	}
	for _, d := range deps {
		if !d.DepOnly && d.ForTest == "" && !incomplete[d.ImportPath] && !strings.HasSuffix(d.ImportPath, ".test") {
			named = append(named, Package{d.ImportPath, d.Dir, d.Name})
		}
	}
	return named
}

// failingFile is the file by which the tests of a package are made not to compile.
const failingFile = "zz_sluice_vet_test.go"

// Failing is a package whose tests do not compile, because Fail has added a file to it.
type Failing struct {
	// Build is the package's name in the go command's messages.
	Build string
	// File ends the path of the file in them.
	File string
}

// Fail changes the overlay, so that the tests of p do not compile. Dir is the directory that was
// given to Write.
func (o *Overlay) Fail(dir string, p Package) (Failing, error) {
	name := filepath.Join(p.Dir, failingFile)
	if err := checkFree(name); err != nil {
		return Failing{}, err
	}
	text, err := os.ReadFile(o.File)
	if err != nil {
		return Failing{}, err
	}
	var file struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &file); err != nil {
		return Failing{}, err
	}
	real := filepath.Join(dir, "failing", fmt.Sprint(len(file.Replace)), failingFile)
	if err := writeFile(real, []byte("package "+p.Name+"\n\nvar _ int = \"\"\n")); err != nil {
		return Failing{}, err
	}
	file.Replace[name] = real
	o.Added = append(o.Added, name)
	return Failing{Build: p.ImportPath + " [" + p.ImportPath + ".test]", File: failingFile}, writeJSON(o.File, file.Replace)
}
