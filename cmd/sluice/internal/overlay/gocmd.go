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
	"slices"
	"strings"

	"github.com/sluiceio/sluice/bench/outcomes"
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
		if text := outcomes.Messages(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
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
	GOROOT, GOVERSION, GOOS, GOARCH, GOFLAGS, GOMODCACHE, GOMOD, GOWORK, GO111MODULE string
	// environment has all of variables.
	environment map[string]string
	// linked reports whether GOROOT is a symbolic link to the toolchain.
	linked bool
}

// targetVariables decide which files of a package are built, and from where. variables are these,
// and what decides that for a program alone. `go env` also knows the user's file of variables and
// what a go.mod says.
var (
	targetVariables = []string{
		"GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFIPS140", "CGO_ENABLED", "GOMODCACHE",
	}
	variables = slices.Concat(targetVariables, []string{"GOFLAGS", "GOMOD", "GOWORK", "GO111MODULE", "GODEBUG", "GOPATH", "GOTOOLCHAIN"})
)

// askToolchain returns the toolchain that the go command uses in dir: a go.mod may choose
// another than elsewhere.
func askToolchain(ctx context.Context, dir string) (toolchain, error) {
	out, err := goOutput(ctx, dir, nil, append([]string{"env", "-json"}, variables...)...)
	if err != nil {
		return toolchain{}, err
	}
	var t toolchain
	if err := errors.Join(json.Unmarshal(out, &t), json.Unmarshal(out, &t.environment)); err != nil {
		return toolchain{}, fmt.Errorf("go env: %w", err)
	}
	if err := t.check(); err != nil {
		return t, err
	}
	if t.GOOS != "linux" || t.GOARCH != "amd64" && t.GOARCH != "arm64" {
		return t, fmt.Errorf("the target is %s/%s; want linux/amd64 or linux/arm64", t.GOOS, t.GOARCH)
	}
	if strings.Contains(t.GOFLAGS, "-overlay") {
		return t, errors.New("GOFLAGS contains an -overlay; sluice needs its own")
	}
	if inside(t.GOROOT, t.GOMODCACHE) {
		return t, t.link()
	}
	return t, nil
}

// listed is a package of the library in the output of `go list -json`.
type listed struct {
	ImportPath, Dir string
	Standard        bool
	Module          *module
	GoFiles         []string
	EmbedFiles      []string // relative to Dir
}

const listFields = "-json=ImportPath,Dir,Standard,Module,GoFiles,EmbedFiles"

// module is a module in the output of `go list -json`.
type module struct {
	Path, Dir, GoVersion string
	Main                 bool
}

// target returns the values of targetVariables.
func (t *toolchain) target() (values []string) {
	for _, name := range targetVariables {
		values = append(values, t.environment[name])
	}
	return values
}
