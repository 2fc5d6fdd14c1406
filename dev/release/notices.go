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

// notices returns the licences of everything in a platform's program: modules, packages, the
// standard library, and files in this tree.
func (r *release) notices(ctx context.Context, platform string) ([]byte, error) {
	works, err := r.works(ctx, platform)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The program %s has parts of the works below. Its own licence is in the file LICENSE.\n", program)
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
func (r *release) works(ctx context.Context, platform string) (map[string][]string, error) {
	out, err := output(r.goCommand(ctx, platform, "env", "GOROOT"))
	if err != nil {
		return nil, err
	}
	works := make(map[string][]string)
	if err := add(works, "Go's standard library, golang.org", strings.TrimSpace(string(out))); err != nil {
		return nil, err
	}
	if out, err = output(r.goCommand(ctx, platform, "list", "-deps", "-json=Dir,Module", r.pkg)); err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return works, nil
		} else if err != nil {
			return nil, err
		}
		switch {
		case p.Module == nil: // of the standard library
		case p.Module.Main:
			err = ownWorks(works, p.Dir)
		default:
			err = upTo(works, p.Module.Path+" "+p.Module.Version, p.Dir, p.Module.Dir)
		}
		if err != nil {
			return nil, err
		}
	}
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
