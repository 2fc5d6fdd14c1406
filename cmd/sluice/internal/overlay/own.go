package overlay

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// hooksOf is the file of package transparent that must fit the hooks in internal/poll.
const hooksOf = "transparent/hooks_linux.go"

// ownLibrary returns the directory of the library that packages import themselves, "" if they
// import none.
func ownLibrary(deps []dependency) string {
	for _, d := range deps {
		path, _, _ := strings.Cut(d.ImportPath, " ") // in a test: "path [path.test]"
		if below, ok := strings.CutPrefix(path, library); ok && (below == "" || below[0] == '/') {
			// This command's packages are in another module of the same tree.
			if root, ok := strings.CutSuffix(filepath.ToSlash(d.Dir), below); ok && !strings.HasPrefix(below, "/cmd/") {
				return filepath.FromSlash(root)
			}
		}
	}
	return ""
}

// shared reports whether the program can use package transparent of its own copy of the
// library, so that it has only one package sluice. why is the reason if it cannot.
func shared(own, source string) (ok bool, why string) {
	want, err := os.ReadFile(filepath.Join(source, hooksOf))
	if err != nil {
		return false, err.Error()
	}
	got, err := os.ReadFile(filepath.Join(own, hooksOf))
	switch {
	case os.IsNotExist(err):
		return false, "has no package transparent"
	case err != nil:
		return false, err.Error()
	case !bytes.Equal(got, want):
		return false, "is another version"
	}
	return true, ""
}

// noteOf returns the note that the program has two packages sluice.
func noteOf(own, why string) string {
	return fmt.Sprintf("the program imports package sluice from %s, which %s: os.File goes through this command's package sluice instead, "+
		"and SLUICE_TRACE records only that one", own, why)
}
