package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licence matches the names of files with a licence, or with text that a licence requires.
var licence = regexp.MustCompile(`(?i)^(licen[sc]e|copying|copyright|notice|patents)([-.].*)?$`)

func isLicence(name string) bool {
	return licence.MatchString(name) && filepath.Ext(name) != ".go" // not license.go
}

// thirdParty is the name of directories with other people's files in this tree. Each has a
// directory for each work, with its licence.
const thirdParty = "third_party"

// command is the import path of the program in the archives that has all packages of the other one.
const command = "github.com/sluiceio/sluice/cmd/sluice/sluice-tools"

// program is what licences are looked for: a package main of a workspace, for a platform.
type program struct {
	root     string // of the workspace
	pkg      string // the import path
	platform string // as GOOS/GOARCH
}

// writeNotices writes the file NOTICES of the command into dir.
func writeNotices(ctx context.Context, root, platform, dir string) error {
	text, err := program{root, command, platform}.notices(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "NOTICES"), text, 0o666)
}

// notices returns the licences of all that the program has in it: of the modules and packages, the
// standard library, and files in this tree.
func (p program) notices(ctx context.Context) ([]byte, error) {
	works, err := p.works(ctx)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The program %s has parts of the works below. Its own licence is in the file LICENSE.\n", path.Base(p.pkg))
	for _, name := range slices.Sorted(maps.Keys(works)) {
		if len(works[name]) == 0 {
			return nil, fmt.Errorf("%s has no licence file; want one, to be named in NOTICES", name)
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", strings.Repeat("=", 78), name)
		for _, file := range slices.Sorted(slices.Values(works[name])) {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", filepath.Base(file), bytes.Trim(text, "\n"))
		}
	}
	return []byte(b.String()), nil
}

// works returns the names of the works, and the files with their licences.
func (p program) works(ctx context.Context) (map[string][]string, error) {
	out, err := p.output(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	works := make(map[string][]string)
	if err := add(works, "Go's standard library, golang.org", strings.TrimSpace(string(out))); err != nil {
		return nil, err
	}
	if out, err = p.output(ctx, "list", "-deps", "-json=Dir,Module", p.pkg); err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var dep struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&dep); errors.Is(err, io.EOF) {
			return works, nil
		} else if err != nil {
			return nil, err
		}
		switch {
		case dep.Module == nil: // of the standard library
		case dep.Module.Main:
			err = ownWorks(works, dep.Dir)
		default:
			err = upTo(works, dep.Module.Path+" "+dep.Module.Version, dep.Dir, dep.Module.Dir)
		}
		if err != nil {
			return nil, err
		}
	}
}

// output returns what the go command prints in the workspace. The user's settings do not reach it.
func (p program) output(ctx context.Context, args ...string) ([]byte, error) {
	system, processor, _ := strings.Cut(p.platform, "/")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = p.root
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(p.root, "go.work"), "GOFLAGS=",
		"CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// ownWorks adds the works below the third_party of a package of this tree.
func ownWorks(works map[string][]string, dir string) error {
	all, err := os.ReadDir(filepath.Join(dir, thirdParty))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, work := range all {
		if !work.IsDir() {
			continue
		}
		if err := add(works, work.Name(), filepath.Join(dir, thirdParty, work.Name())); err != nil {
			return err
		}
	}
	return err
}

// upTo adds the licences in the directory of a package, and in the directories above it up to its
// module's root.
func upTo(works map[string][]string, name, dir, root string) error {
	for {
		if err := add(works, name, dir); err != nil || dir == root || dir == filepath.Dir(dir) {
			return err
		}
		dir = filepath.Dir(dir)
	}
}

// add adds the licences in a directory to a work's.
func add(works map[string][]string, name, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	works[name] = append([]string{}, works[name]...) // adds a work without a licence, too
	for _, f := range files {
		file := filepath.Join(dir, f.Name())
		if f.Type().IsRegular() && isLicence(f.Name()) && !slices.Contains(works[name], file) {
			works[name] = append(works[name], file)
		}
	}
	return nil
}
