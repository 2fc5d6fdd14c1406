package overlay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goOutput runs the go command in dir, with env added to the environment, and returns
// its standard output.
func goOutput(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if text := withoutProgress(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
}

// withoutProgress returns what the go command says, without the lines about its downloads, as one
// line.
func withoutProgress(text string) string {
	var left []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "go: downloading ") {
			left = append(left, strings.TrimSpace(line))
		}
	}
	return strings.TrimSpace(strings.Join(left, " "))
}

// goJSON runs the go command as goOutput does, and decodes the sequence of JSON values
// that it prints.
func goJSON[T any](ctx context.Context, dir string, env []string, args ...string) ([]T, error) {
	out, err := goOutput(ctx, dir, env, args...)
	if err != nil {
		return nil, err
	}
	var values []T
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var v T
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return values, nil
		} else if err != nil {
			return nil, fmt.Errorf("go %s: %w", args[0], err)
		}
		values = append(values, v)
	}
}

// toolchain is the go command's description of itself and its target.
type toolchain struct {
	GOROOT, GOVERSION, GOOS, GOARCH, GOFLAGS, GOMODCACHE string
	// linked reports whether GOROOT is a symbolic link to the toolchain.
	linked bool
}

// askToolchain returns the toolchain that the go command uses in dir: a go.mod may choose
// another than elsewhere.
func askToolchain(ctx context.Context, dir string) (toolchain, error) {
	all, err := goJSON[toolchain](ctx, dir, nil, "env", "-json", "GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOFLAGS", "GOMODCACHE")
	if err != nil {
		return toolchain{}, err
	}
	t := all[0]
	if err := t.check(); err != nil {
		return t, err
	}
	if t.GOOS != "linux" || t.GOARCH != "amd64" && t.GOARCH != "arm64" {
		return t, fmt.Errorf("the target is %s/%s; want linux/amd64 or linux/arm64", t.GOOS, t.GOARCH)
	}
	if strings.Contains(t.GOFLAGS, "-overlay") {
		return t, errors.New("GOFLAGS contains an -overlay; sluice needs its own")
	}
	if below, err := filepath.Rel(t.GOMODCACHE, t.GOROOT); err == nil && filepath.IsLocal(below) {
		return t, t.link()
	}
	return t, nil
}

// listed is a package in the output of `go list -json`.
type listed struct {
	ImportPath, Name, Dir              string
	Standard                           bool
	Module                             *module
	GoFiles, TestGoFiles, XTestGoFiles []string
	EmbedFiles                         []string // relative to Dir
}

// module is a module in the output of `go list -json`.
type module struct {
	Path, Dir, GoVersion string
	Main                 bool
}

const listFields = "-json=ImportPath,Name,Dir,Standard,Module,GoFiles,TestGoFiles,XTestGoFiles,EmbedFiles"
