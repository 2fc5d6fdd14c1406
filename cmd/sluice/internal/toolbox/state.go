package toolbox

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// recent is the age below which a file may change without a change of its time, as the go command
// has it for its own caches.
const recent = 2 * time.Second

// variables of the go command decide what it builds of the same files.
var variables = []string{
	"GOROOT", "GOVERSION", "GOFLAGS", "GOWORK", "GOMOD", "GO111MODULE", "GOTOOLCHAIN",
	"GOEXPERIMENT", "GOFIPS140", "GODEBUG", "GOAMD64", "GOARM64", "GOMODCACHE",
}

var errUnknown = errors.New("what is built may be something else")

// stateOf returns a text that stands for all from which the go command makes sluice-tools in the
// module tree: the content of the Go files of its repository, the sizes and times of the other
// files, which packages may embed, and the go command. Other modules are versions, which do not
// change. It is an error if that cannot be known, or a file has changed just now.
func stateOf(goExe, tree string) (string, error) {
	root := filepath.Dir(filepath.Dir(tree))
	sum := fnv.New128a()
	cmd := exec.Command(goExe, append([]string{"env"}, variables...)...)
	cmd.Dir = tree
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(sum, "%s/%s\n%s", runtime.GOOS, runtime.GOARCH, out)
	values := strings.Split(string(out), "\n")
	flags, work := values[2], values[3]
	if outside := work != "" && work != "off" && filepath.Dir(work) != root; outside || strings.Contains(flags, "overlay") || strings.Contains(flags, "modfile") {
		return "", errUnknown
	}
	latest := time.Now().Add(-recent)
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && d.Name()[0] == '.' {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return nil
		case info.ModTime().After(latest):
			return errUnknown
		case strings.HasSuffix(name, ".go"), strings.HasPrefix(d.Name(), "go."):
			text, err := os.ReadFile(name)
			fmt.Fprintf(sum, "%s %d\n", name, len(text))
			sum.Write(text)
			return err
		}
		fmt.Fprintf(sum, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// built returns the text of the file that says from which state the program file was built. It
// names the program by its size and time, because two processes may build it at the same time.
func built(state, file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d %d\n", state, info.Size(), info.ModTime().UnixNano()), nil
}

// isBuilt reports whether the program file was built from that state.
func isBuilt(state, file string) bool {
	want, err := built(state, file)
	if err != nil {
		return false
	}
	got, err := os.ReadFile(file + ".state")
	return err == nil && string(got) == want
}

// setBuilt records that the program file was built from that state. Without the record, or with a
// part of it, the program is built again.
func setBuilt(state, file string) {
	if text, err := built(state, file); err == nil {
		_ = os.WriteFile(file+".state", []byte(text), 0o666)
	}
}
