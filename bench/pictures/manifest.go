package pictures

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// manifestName is the list of a report's files with their checksums, in the format of sha256sum. A
// later report may only remove these files.
const manifestName = "manifest.sha256"

// mostManifest is more than the bytes of any manifest of ours.
const mostManifest = 1 << 20

// entry is a line of the manifest.
type entry struct{ sum, name string }

func newEntry(name string, text []byte) entry {
	sum := sha256.Sum256(text)
	return entry{hex.EncodeToString(sum[:]), name}
}

// manifest returns the entries of the directory's manifest, or none if there is no manifest.
func (d *Dir) manifest() ([]entry, error) {
	text, err := begin(filepath.Join(d.path, manifestName), mostManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries []entry
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if ok && filepath.IsLocal(name) && filepath.Base(name) == name { // a file in this directory
			entries = append(entries, entry{sum, name})
		}
	}
	return entries, err
}

func (d *Dir) putManifest(entries []entry) error {
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%s  %s\n", e.sum, e.name)
	}
	return d.put(manifestName, b.Bytes())
}

// removeStale removes the files of an earlier report that the new one lacks. It keeps files that
// have changed.
func (d *Dir) removeStale(old, now []entry) error {
	for _, e := range old {
		if slices.ContainsFunc(now, func(n entry) bool { return n.name == e.name }) {
			continue
		}
		if !d.holds(e) {
			continue
		}
		if err := os.Remove(filepath.Join(d.path, e.name)); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether the file exists, unchanged.
func (d *Dir) holds(e entry) bool {
	path := filepath.Join(d.path, e.name)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && newEntry(e.name, text) == e
}
