// Package toolbox finds sluice-tools, the program with all subcommands of sluice, and becomes it.
//
// sluice-tools is, in this order:
//
//   - the program of that name in the directory of this one;
//   - if this program was built in a tree of sluice: what the go command builds there;
//   - the one of this program's version in the user's cache directory. go install builds it there
//     when it is first needed.
package toolbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Package is the import path of sluice-tools.
const Package = "github.com/sluiceio/sluice/cmd/sluice/sluice-tools"

// Variables for sluice-tools, in its environment: the program that became it, and its version.
const (
	commandVariable = "SLUICE_COMMAND"
	versionVariable = "SLUICE_COMMAND_VERSION"
)

// Open becomes sluice-tools with the arguments. It returns only if that fails, and where no
// system call replaces a program: there it ends with the program's status.
//
// version is what this program prints about itself, and released is the version of a prebuilt one.
func Open(args []string, version, released string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find this program, and sluice-tools beside it: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	tools, inTree, err := find(self, released)
	if err != nil {
		return err
	}
	if inTree {
		version = "" // whatever the two print: the go command stamps them differently
	}
	env := append(os.Environ(), commandVariable+"="+self, versionVariable+"="+version)
	return become(tools, append([]string{tools}, args...), env)
}

// Opened returns the file of the program sluice that became this one; "" if none did. It takes the
// variables of Open out of the environment, because the children of sluice-tools have no use for
// them. It returns an error if sluice is of another version and both were not built in one tree.
func Opened(version string) (command string, err error) {
	command, from := os.Getenv(commandVariable), os.Getenv(versionVariable)
	if err := errors.Join(os.Unsetenv(commandVariable), os.Unsetenv(versionVariable)); err != nil {
		return "", err
	}
	if command == "" || from == "" || from == version || !published(from) && !published(version) {
		return command, nil
	}
	tools, err := os.Executable()
	if err != nil {
		return "", err
	}
	return "", fmt.Errorf("%s is version %s, and %s is %s; install both again, or remove %s", command, from, tools, version, tools)
}

// published reports whether a version, as a program prints it, can be one that users install. In a
// tree the two programs may be built at different times.
func published(version string) bool {
	return strings.HasPrefix(version, "v") && !strings.Contains(version, "+dirty")
}

// name returns the file name of sluice-tools.
func name() string {
	if runtime.GOOS == "windows" {
		return "sluice-tools.exe"
	}
	return "sluice-tools"
}

// find returns the file of sluice-tools for the program self, and whether it was built in the tree
// in which self was built.
func find(self, released string) (file string, inTree bool, err error) {
	beside := filepath.Join(filepath.Dir(self), name())
	if _, err := os.Stat(beside); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return beside, false, err
	}
	if tree := builtIn(); tree != "" {
		file, err = buildIn(tree)
		return file, true, err
	}
	version := installed(released)
	if version == "" {
		return "", false, fmt.Errorf("%s is missing, which has this command; build it with this program: "+
			"go install . ./sluice-tools in cmd/sluice of its tree", beside)
	}
	file, err = install(version)
	return file, false, err
}
