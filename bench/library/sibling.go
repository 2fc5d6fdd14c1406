package library

import (
	"context"
	"fmt"
	"path/filepath"
)

// Sibling returns the directory of another module of the project. below is the module's place in
// the project's tree, as in bench/pebble. work is the go.work file that it needs there, or "off" if
// the module's own requirements suffice. The go command may download the module.
func Sibling(ctx context.Context, below string) (dir, work string, err error) {
	tree, err := Dir(ctx)
	if err != nil {
		return "", "", err
	}
	module := Module + "/" + below
	if dir := filepath.Join(tree, filepath.FromSlash(below)); hasModule(dir, module) {
		return dir, filepath.Join(tree, "go.work"), nil
	}
	version := Version()
	if version == "" {
		return "", "", fmt.Errorf("the source of %s: it is not in %s; %s", module, tree, advice)
	}
	if dir, err = download(ctx, module, version); err != nil {
		return "", "", fmt.Errorf("the source of %s %s: %w; %s", module, version, err, advice)
	}
	return dir, "off", nil
}
