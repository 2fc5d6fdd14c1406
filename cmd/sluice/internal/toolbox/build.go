package toolbox

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/signals"
)

// builtIn returns the directory of command sluice in the tree from which this program was built,
// "" if it was not built in a tree, or the tree is gone.
func builtIn() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Sum != "" { // by go install of a version
		return ""
	}
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) { // -trimpath
		return ""
	}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(filepath.FromSlash(file))))
	if _, err := os.Stat(filepath.Join(dir, "sluice-tools", "main.go")); err != nil {
		return ""
	}
	return dir
}

// installed returns the version of this program that a go command can install; "" if there is
// none.
func installed(released string) string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" {
		return info.Main.Version
	}
	return released
}

// cache returns the directory below the user's cache directory for a sluice-tools.
func cache(of string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no directory for sluice-tools, which has this command: %w", err)
	}
	return filepath.Join(dir, "sluice", of), nil
}

// buildIn builds sluice-tools in a tree, unless it was last built from the same files. The go
// command takes two seconds to find out that it has nothing to do.
func buildIn(tree string) (string, error) {
	sum := fnv.New64a()
	sum.Write([]byte(tree))
	dir, err := cache(fmt.Sprintf("tree-%x", sum.Sum64()))
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, name())
	state := ""
	if goExe, err := exec.LookPath("go"); err == nil {
		if state, err = stateOf(goExe, tree); err != nil {
			state = ""
		}
	}
	if state != "" && isBuilt(state, file) {
		return file, nil
	}
	if file, err = build(dir, tree, nil, "./sluice-tools"); err == nil && state != "" {
		setBuilt(state, file)
	}
	return file, err
}

// install returns sluice-tools of a version. The first call for a version builds it.
func install(version string) (string, error) {
	dir, err := cache(version)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, name())
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	fmt.Fprintf(os.Stderr, "sluice: building %s %s, once, into %s\n", name(), version, dir)
	// The settings of the working directory's module are not for this one.
	return build(dir, "", []string{"GOWORK=off", "GOFLAGS=", "GO111MODULE=on"}, Package+"@"+version)
}

// build makes sluice-tools in dir by go install, which runs in the directory work. Another process
// may do the same at the same time.
func build(dir, work string, env []string, what string) (string, error) {
	failed := func(err error) (string, error) {
		return "", fmt.Errorf("cannot build sluice-tools, which has this command: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return failed(err)
	}
	bin, err := os.MkdirTemp(dir, ".build-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(bin)
	goExe, err := exec.LookPath("go")
	if err != nil {
		return failed(errors.New("there is no go command in PATH"))
	}
	ctx, stop := signals.NotifyContext()
	defer stop()
	cmd := exec.CommandContext(ctx, goExe, "install", what)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "CGO_ENABLED=0")
	cmd.Env = append(cmd.Env, env...)
	switch out, err := cmd.CombinedOutput(); {
	case ctx.Err() != nil:
		return failed(context.Cause(ctx))
	case err != nil:
		return failed(fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(string(out))))
	}
	file := filepath.Join(dir, name())
	if err := os.Rename(filepath.Join(bin, name()), file); err != nil {
		return failed(err)
	}
	return file, nil
}
