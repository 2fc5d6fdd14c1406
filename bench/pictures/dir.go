package pictures

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// index is the page. It is how a later run knows the directory for a report.
const index = "index.html"

// marker is in every page of ours, near its beginning.
const marker = `<meta name="generator" content="sluice bench">`

// Dir is a directory that a report may be written to.
type Dir struct {
	path string
	made bool // by Open
}

// Open makes the directory if there is none, and checks before anything is measured that a
// report can be written to it: the directory is empty, or has an older report, which the new
// one replaces.
func Open(path string) (*Dir, error) {
	if path == "" {
		return nil, errors.New("cannot write the report: the name of the directory is empty")
	}
	d := &Dir{path: path}
	switch err := os.Mkdir(path, 0o777); {
	case err == nil:
		d.made = true
		return d, nil
	case !errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("cannot write the report: %w", err)
	}
	if err := d.ours(); err != nil {
		return nil, err
	}
	return d, d.writable()
}

// ours refuses a directory with things of others.
func (d *Dir) ours() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	page, err := os.ReadFile(filepath.Join(d.path, index))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	if !bytes.Contains(page[:min(len(page), 1<<10)], []byte(marker)) {
		return fmt.Errorf("cannot write the report: %s holds files that are not a report of sluice's; want a new or an empty directory", d.path)
	}
	return nil
}

func (d *Dir) writable() error {
	probe, err := os.CreateTemp(d.path, ".sluice-*")
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Abandon removes the directory if Open made it and nothing is in it.
func (d *Dir) Abandon() {
	if d != nil && d.made {
		_ = os.Remove(d.path) // which fails if there is something in it
	}
}

// put writes a file in one step: a reader sees the old one or the new one.
func (d *Dir) put(name string, text []byte) error {
	f, err := os.CreateTemp(d.path, ".sluice-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(d.path, name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
