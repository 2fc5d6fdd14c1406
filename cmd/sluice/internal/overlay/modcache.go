package overlay

import (
	"crypto/sha256"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"strings"
)

// The go command refuses an overlay with a file whose name is below the module cache. A
// toolchain that it has downloaded is there. It is therefore run with another GOROOT, a
// symbolic link. The build cache does not depend on the name of GOROOT. The link is not
// removed, because the name is part of the program (runtime.GOROOT).

// link makes a symbolic link to the toolchain, and makes it GOROOT.
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

// makeLink makes a symbolic link to target, unless it exists. Other processes may make
// the same link at the same time.
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

// release returns the version without experiments: go1.26.0 for "go1.26.0 X:nogreenteagc".
func (t *toolchain) release() string {
	release, _, _ := strings.Cut(t.GOVERSION, " ")
	return release
}

// oldest is the oldest release that the library compiles with.
const oldest = "go1.26"

// check returns an error if the library does not compile with t.
func (t *toolchain) check() error {
	if release := t.release(); version.IsValid(release) && version.Compare(release, oldest) < 0 {
		return fmt.Errorf("toolchain %s is older than %s, which sluice needs; known to work: %s", release, oldest, KnownVersions)
	}
	return nil
}

// choice returns the value of GOTOOLCHAIN that chooses t in another directory. A toolchain that was
// built from a checkout has no version that GOTOOLCHAIN takes, and is the one that the command is
// of.
func (t *toolchain) choice() string {
	if release := t.release(); version.IsValid(release) {
		return release
	}
	return "local"
}

// command returns the name of the go command of t, and what it needs in its environment.
func (t *toolchain) command() (name string, env []string) {
	if !t.linked {
		return "go", nil
	}
	return filepath.Join(t.GOROOT, "bin", "go"), []string{"GOROOT=" + t.GOROOT, "GOTOOLCHAIN=" + t.release()}
}
