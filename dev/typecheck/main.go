// Typecheck checks the types of modules' packages and of their tests for another operating
// system or processor.
//
//	go run ./dev/typecheck windows/amd64 cmd/sluice bench
//
// go vet compiles whatever the packages import, which takes ten times as long.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: typecheck GOOS/GOARCH FOLDER...")
		os.Exit(2)
	}
	goos, goarch, _ := strings.Cut(os.Args[1], "/")
	env := append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	var all []error
	for _, dir := range os.Args[2:] {
		all = append(all, check(dir, env))
	}
	if err := errors.Join(all...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// mode is what the types of a package need. NeedDeps has imported packages loaded from their
// source: without it, the go command compiles them.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax

// check loads the packages of the module in dir. It returns their errors, one a line.
func check(dir string, env []string) error {
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, Env: env, Tests: true}, "./...")
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if len(loaded) == 0 {
		return fmt.Errorf("%s: no packages", dir)
	}
	var all []error
	seen := make(map[string]bool)
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if !seen[e.Error()] {
				seen[e.Error()] = true
				all = append(all, e)
			}
		}
	})
	return errors.Join(all...)
}
