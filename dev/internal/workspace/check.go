package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Check builds each module without go.work, with the modules of the tree from a proxy of files.
// Other modules come from the module cache or GOPROXY. It fails if a go.mod or go.sum is wrong.
func (w *Workspace) Check(ctx context.Context, version string) (err error) {
	dir, err := os.MkdirTemp("", "sluice-check-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := w.Proxy(ctx, filepath.Join(dir, "proxy"), version); err != nil {
		return err
	}
	env, err := Environment(ctx, dir)
	if err != nil {
		return err
	}
	for _, m := range w.Modules {
		if _, err := goCommand(ctx, m.dir, env, "build", "-mod=readonly", "-o="+os.DevNull, "./..."); err != nil {
			return fmt.Errorf("%s, built by itself: %w", m.Path, err)
		}
	}
	return nil
}

// Environment returns the environment of a go command that finds the modules of dir/proxy, a
// directory of Proxy. It keeps them in dir/cache instead of the user's module cache. It takes other
// modules from the user's module cache, then from the user's GOPROXY.
func Environment(ctx context.Context, dir string) (map[string]string, error) {
	text, err := goCommand(ctx, "", nil, "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	places := strings.Split(text, "\n")
	return map[string]string{
		"GOMODCACHE": filepath.Join(dir, "cache"),
		"GOPROXY": fileURL(filepath.Join(dir, "proxy")) + "," +
			fileURL(filepath.Join(places[0], "cache", "download")) + "," + places[1],
		"GOFLAGS": "-modcacherw", // the cache is removed at the end
		"GOSUMDB": "off",         // it does not know unpublished modules
		// No module comes from elsewhere, whatever the user's settings are. GONOPROXY=none would
		// have the go command look into its cache first, where it finds the library, and then no
		// module below it.
		"GOENV": "off", "GONOPROXY": "", "GOPRIVATE": "",
	}, nil
}

// fileURL returns a directory as an entry of GOPROXY.
func fileURL(dir string) string {
	dir = filepath.ToSlash(dir)
	if !strings.HasPrefix(dir, "/") { // C:/...
		dir = "/" + dir
	}
	return "file://" + dir
}
