package overlay

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// hooksOf is the file of package transparent that internal/poll has to go with.
const hooksOf = "transparent/hooks_linux.go"

// ownLibrary returns the directory of the library that the packages of r, or their
// tests, import by themselves; "" if they do not. What is wrong with them the go command says
// when it builds.
func ownLibrary(ctx context.Context, r Request) (string, error) {
	args := []string{"list", "-e", "-deps", "-f={{.ImportPath}}\t{{.Dir}}"}
	if r.Tests {
		args = append(args, "-test")
	}
	out, err := goOutput(ctx, r.Dir, nil, append(append(args, r.Flags...), r.Packages...)...)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		path, _, _ = strings.Cut(path, " ") // of a package as a test has it: "path [path.test]"
		if below, ok := strings.CutPrefix(path, library); ok && (below == "" || below[0] == '/') {
			// The command's own packages are of another module, in the same tree.
			if root, ok := strings.CutSuffix(filepath.ToSlash(dir), below); ok && !strings.HasPrefix(below, "/cmd/") {
				return filepath.FromSlash(root), nil
			}
		}
	}
	return "", nil
}

// shared tells whether the program can have its own library's package transparent,
// so that there is one package sluice in it; why says why not.
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

// noteOf tells the user that there are two.
func noteOf(own, why string) string {
	return fmt.Sprintf("the program imports package sluice, and that in %s %s: os.File goes through one of this command's, "+
		"and SLUICE_TRACE records that alone", own, why)
}
