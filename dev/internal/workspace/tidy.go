package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Tidy runs go mod tidy in each module, as if the tree's modules were published as they are. Lines
// of go.sum about these modules stay if they have the required version.
func (w *Workspace) Tidy(ctx context.Context) error {
	version, err := w.Version()
	if err != nil {
		return err
	}
	for _, m := range w.Modules {
		if err := w.tidy(ctx, m, version); err != nil {
			return fmt.Errorf("%s: %w", m.Below, err)
		}
	}
	return nil
}

// tidy tidies a copy of the module's go.mod in which the tree's modules are replaced by their
// directories. Otherwise the go command would look for the published version.
func (w *Workspace) tidy(ctx context.Context, m *Module, version string) error {
	dir, err := os.MkdirTemp("", "sluice-tidy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, err := m.read()
	if err != nil {
		return err
	}
	if len(file.Replace) > 0 {
		return errors.New("go.mod has a replace line, with which go install refuses it: move it to go.work")
	}
	for _, other := range w.Modules {
		if other != m {
			if err := file.AddReplace(other.Path, "", other.dir, ""); err != nil {
				return err
			}
		}
	}
	text, err := file.Format()
	if err != nil {
		return err
	}
	own, err := m.sums(func(line string) bool { return w.isSum(line) })
	if err != nil {
		return err
	}
	others, err := m.sums(func(line string) bool { return !w.isSum(line) })
	if err != nil {
		return err
	}
	copied := filepath.Join(dir, "go.mod")
	if err := errors.Join(os.WriteFile(copied, text, 0o666),
		os.WriteFile(filepath.Join(dir, "go.sum"), join(others), 0o666)); err != nil {
		return err
	}
	if _, err := goCommand(ctx, m.dir, nil, "mod", "tidy", "-modfile="+copied); err != nil {
		return err
	}
	return w.adopt(m, copied, own, version)
}

// adopt makes a tidied copy the module's go.mod, and the sums beside it plus own its go.sum.
func (w *Workspace) adopt(m *Module, copied string, own []string, version string) error {
	text, err := os.ReadFile(copied)
	if err != nil {
		return err
	}
	file, err := modfile.Parse(copied, text, nil)
	if err != nil {
		return err
	}
	m.Siblings = make(map[string]string)
	for _, other := range w.Modules {
		if err := file.DropReplace(other.Path, ""); err != nil {
			return err
		}
		if slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == other.Path }) {
			m.Siblings[other.Path] = version
			if err := file.AddRequire(other.Path, version); err != nil {
				return err
			}
		}
	}
	if err := m.write(file); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(filepath.Dir(copied), "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	lines := slices.Collect(strings.Lines(string(sums)))
	for _, line := range own {
		words := strings.Fields(line)
		if v, ok := m.Siblings[words[0]]; ok && strings.TrimSuffix(words[1], "/go.mod") == v {
			lines = append(lines, line)
		}
	}
	return m.writeSums(lines)
}

// sums returns the lines of the module's go.sum for which keep reports true.
func (m *Module) sums(keep func(line string) bool) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(m.dir, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if len(strings.Fields(line)) == 3 && keep(line) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// writeSums writes the module's go.sum. Without lines it removes the file.
func (m *Module) writeSums(lines []string) error {
	name := filepath.Join(m.dir, "go.sum")
	if len(lines) == 0 {
		if err := os.Remove(name); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	slices.SortFunc(lines, compareSums)
	return os.WriteFile(name, join(lines), 0o666)
}

func join(lines []string) []byte { return []byte(strings.Join(lines, "")) }

// goCommand runs the go command in dir, with env added to the environment and without a workspace.
// It returns the standard output.
func goCommand(ctx context.Context, dir string, env map[string]string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	for _, name := range slices.Sorted(maps.Keys(env)) {
		cmd.Env = append(cmd.Env, name+"="+env[name])
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}
