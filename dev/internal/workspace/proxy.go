package workspace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// Proxy writes the modules in that version into dir, so that GOPROXY=file://dir has them. They must
// require each other in that version.
func (w *Workspace) Proxy(ctx context.Context, dir, version string) error {
	for _, m := range w.Modules {
		if _, err := w.publish(ctx, dir, m, version); err != nil {
			return err
		}
	}
	return nil
}

// Sums writes the sums of the tree's modules into each other's go.sum, for that version. A build
// without go.work needs them. A module's sum depends on its own go.sum, and so on all modules
// before it.
func (w *Workspace) Sums(ctx context.Context, version string) error {
	dir, err := os.MkdirTemp("", "sluice-sums-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var sums []string
	for _, m := range w.Modules {
		lines, err := m.sums(func(line string) bool { return !w.isSum(line) })
		if err != nil {
			return err
		}
		for _, line := range sums {
			if path, _, _ := strings.Cut(line, " "); m.Siblings[path] != "" {
				lines = append(lines, line)
			}
		}
		if err := m.writeSums(lines); err != nil {
			return err
		}
		own, err := w.publish(ctx, dir, m, version)
		if err != nil {
			return err
		}
		sums = append(sums, own...)
	}
	return nil
}

// publish writes a module in the format of the module proxy's protocol, and returns its lines for
// go.sum.
func (w *Workspace) publish(ctx context.Context, dir string, m *Module, version string) (sums []string, err error) {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return nil, err
	}
	base := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(base, 0o777); err != nil {
		return nil, err
	}
	mod, err := os.ReadFile(m.file())
	if err != nil {
		return nil, err
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(base, version+".zip")
	if err := errors.Join(
		os.WriteFile(filepath.Join(base, "list"), []byte(version+"\n"), 0o666),
		os.WriteFile(filepath.Join(base, version+".info"), info, 0o666),
		os.WriteFile(filepath.Join(base, version+".mod"), mod, 0o666),
		w.zip(ctx, name, m, version)); err != nil {
		return nil, err
	}
	all, err := dirhash.HashZip(name, dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	requirements, err := hashMod(mod)
	return []string{
		fmt.Sprintf("%s %s %s\n", m.Path, version, all),
		fmt.Sprintf("%s %s/go.mod %s\n", m.Path, version, requirements),
	}, err
}

// zip writes a module's zip file.
func (w *Workspace) zip(ctx context.Context, name string, m *Module, version string) error {
	files, err := w.files(ctx, m)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(files, func(f zip.File) bool { return f.Path() == "LICENSE" }) {
		// A proxy would add the root's LICENSE, and the sum would differ.
		return fmt.Errorf("%s has no LICENSE", m.dir)
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	err = zip.Create(out, module.Version{Path: m.Path, Version: version}, files)
	return errors.Join(err, out.Close())
}

// files returns the files of a module that are in git, or that git add would add; all files if the
// tree is not in git. They may include files of modules below, which zip leaves out.
func (w *Workspace) files(ctx context.Context, m *Module) ([]zip.File, error) {
	names, err := listed(ctx, m.dir)
	if err != nil {
		return nil, err
	}
	var files []zip.File
	for _, name := range names {
		f := file{name: name, real: filepath.Join(m.dir, filepath.FromSlash(name))}
		info, err := f.Lstat()
		if errors.Is(err, fs.ErrNotExist) { // removed, but still in git
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			files = append(files, f)
		}
	}
	return files, nil
}

// listed returns the names of the files in a directory and below, with slashes.
func listed(ctx context.Context, dir string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = dir
	if out, err := cmd.Output(); err == nil {
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
	}
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path.Base(name) == ".git" || path.Base(name) == ".bin"):
			return fs.SkipDir
		case !d.IsDir():
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// file is a zip.File.
type file struct{ name, real string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.real) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.real) }

// hashMod returns the sum of a go.mod.
func hashMod(text []byte) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	})
}

// compareSums compares lines of go.sum in the go command's order.
func compareSums(a, b string) int {
	x, y := strings.Fields(a), strings.Fields(b)
	xv, xmod := strings.CutSuffix(x[1], "/go.mod")
	yv, ymod := strings.CutSuffix(y[1], "/go.mod")
	order := cmp.Or(cmp.Compare(x[0], y[0]), semver.Compare(xv, yv))
	switch {
	case order != 0 || xmod == ymod:
		return order
	case xmod:
		return 1
	}
	return -1
}
