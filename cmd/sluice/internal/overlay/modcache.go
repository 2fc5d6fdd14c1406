package overlay

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The go command refuses an overlay that has a file of the module cache, by the names of both.
// A toolchain that it has downloaded is there. So it is run with a GOROOT that has another name, a
// symbolic link. Packages of the standard library are the same in the build cache, by whatever name
// GOROOT is known. The link stays, as a program tells the name of its GOROOT (runtime.GOROOT).

// link makes GOROOT, which is in the module cache, a symbolic link to it.
func (t *toolchain) link() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("toolchain %s is in the module cache, and needs a link elsewhere: %w", t.GOVERSION, err)
	}
	link := filepath.Join(cache, "sluice", "toolchain", fmt.Sprintf("%s-%.6x", t.release(), sha256.Sum256([]byte(t.GOROOT))))
	if err := makeLink(t.GOROOT, link); err != nil {
		return fmt.Errorf("toolchain %s is in the module cache, and needs a link elsewhere: %w", t.GOVERSION, err)
	}
	t.GOROOT, t.linked = link, true
	return nil
}

// makeLink makes a symbolic link to target, unless there is one. Others may do the same.
func makeLink(target, link string) error {
	if to, err := os.Readlink(link); err == nil && to == target {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		return err
	}
	err := os.Symlink(target, link)
	if to, _ := os.Readlink(link); to == target {
		return nil
	}
	return err
}

// release is the version alone: go1.26.0 of "go1.26.0 X:nogreenteagc".
func (t *toolchain) release() string {
	release, _, _ := strings.Cut(t.GOVERSION, " ")
	return release
}

// command returns the name of the go command that builds with t, and what it needs in its
// environment.
func (t *toolchain) command() (name string, env []string) {
	if !t.linked {
		return "go", nil
	}
	return filepath.Join(t.GOROOT, "bin", "go"), []string{"GOROOT=" + t.GOROOT, "GOTOOLCHAIN=" + t.release()}
}
