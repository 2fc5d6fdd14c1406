package pictures

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// index is the page. A later run recognizes a report's directory by it.
const index = "index.html"

// marker is near the beginning of every page of this package.
const marker = `<meta name="generator" content="sluice bench">`

// Dir is a directory for a report.
type Dir struct {
	path string
	made bool // whether Open created it
}

// Open makes the directory if necessary. It checks before the measurements that a report can be
// written: the directory must be empty, or have an older report, which the new one replaces.
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

// ours returns an error if the directory has files but no report.
func (d *Dir) ours() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	page, err := begin(filepath.Join(d.path, index), 1<<10)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	if !bytes.Contains(page, []byte(marker)) {
		return fmt.Errorf("cannot write the report: %s holds files, but no report of sluice; want a new or an empty directory", d.path)
	}
	return nil
}

// begin returns the first bytes of a file, at most most. For a file that is not regular it returns
// nothing: opening a FIFO would wait for its writer.
func begin(name string, most int64) ([]byte, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

func (d *Dir) writable() error {
	probe, err := os.CreateTemp(d.path, ".sluice-*")
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Abandon removes the directory if Open made it and it is empty.
func (d *Dir) Abandon() {
	if d != nil && d.made {
		_ = os.Remove(d.path) // fails if the directory is not empty
	}
}

// put writes a file in one step: a reader sees either the old file or the new one.
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
	// The temporary file's name means nothing to the user.
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: path.Op, Path: filepath.Join(d.path, name), Err: path.Err}
	}
	return err
}
