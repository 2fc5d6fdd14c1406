package fix

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the changes as a unified diff, which patch -p1 and git apply can read.
func (r *Result) Diff() []byte {
	var text bytes.Buffer
	for _, f := range r.Files {
		name := f.Name
		if rel, err := filepath.Rel(r.dir, name); err == nil {
			name = rel
		}
		name = filepath.ToSlash(name)
		text.Write(diff.Diff("a/"+name, f.Old, "b/"+name, f.New))
	}
	return text.Bytes()
}

// Write writes the files, each at once: another program sees the old text or the new one.
// All new texts are on the disk under other names before the first file is replaced. An error
// says which files were replaced.
func (r *Result) Write() error {
	var ready []replacing
	defer func() {
		for _, f := range ready {
			os.Remove(f.temp)
		}
	}()
	for _, f := range r.Files {
		one, err := prepare(f)
		if err != nil {
			return fmt.Errorf("%w; no file was changed", err)
		}
		ready = append(ready, one)
	}
	for i, f := range ready {
		if err := os.Rename(f.temp, f.name); err != nil {
			return fmt.Errorf("%w; %d of %d files were changed", err, i, len(ready))
		}
	}
	ready = nil
	return nil
}

// replacing is a file whose new text is in another one beside it.
type replacing struct{ name, temp string }

// prepare writes the new text of f into a file beside it.
func prepare(f *File) (replacing, error) {
	name, err := filepath.EvalSymlinks(f.Name)
	if err != nil {
		return replacing{}, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return replacing{}, err
	}
	if info.Mode()&0o200 == 0 {
		return replacing{}, fmt.Errorf("%s is read-only; chmod u+w it first", f.Name)
	}
	now, err := os.ReadFile(name)
	if err != nil {
		return replacing{}, err
	}
	if !bytes.Equal(now, f.Old) {
		return replacing{}, fmt.Errorf("%s has changed since it was read; run sluice fix again", f.Name)
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".sluice-fix-*")
	if err != nil {
		return replacing{}, fmt.Errorf("%s cannot be replaced: %w", f.Name, err)
	}
	_, err = temp.Write(f.New)
	if err1 := temp.Chmod(info.Mode().Perm()); err == nil {
		err = err1
	}
	if err1 := temp.Close(); err == nil {
		err = err1
	}
	if err != nil {
		os.Remove(temp.Name())
		return replacing{}, err
	}
	return replacing{name, temp.Name()}, nil
}
